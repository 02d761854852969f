#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "files/file.h"
#include "hub/client.h"
#include "hub/download.h"
#include "hub/file_part.h"

namespace headlight::hub {

// What is to be fetched.
struct Wanted {
    HubName name;
    std::vector<std::string> paths{};  // empty: the model and its configs
};

// What the Hub says of it before anything large is fetched.
struct RemoteModel {
    HubName name;  // as asked for
    std::string commit;
    std::string renamed_to;  // the repository's name of today; empty: the same
    std::string license;     // in words; empty: not stated
    std::vector<RemoteFile> files;
    std::string checkpoint;  // among the files: the model, or the index of its shards; empty: none
    std::optional<FilePart> part{};  // what is fetched of the checkpoint; nothing: all of it

    [[nodiscard]] std::uint64_t bytes() const;  // of all that is fetched
};

// A part is no file of the Hub, so its name in our own cache is another, and its header says what
// it is part of: "openai/clip-vit-base-patch32, model.safetensors, commit …, sha256 …".
std::string name_of_part(const RemoteModel& model);
std::string origin_of_part(const RemoteModel& model);

// "88 MB, Apache 2.0"; "the vision tower alone, 351 of 605 MB, MIT"
std::string size_and_license(const RemoteModel& model);

// Asks for the wanted files. Without names these are config.json, preprocessor_config.json and
// their like, and the weights as safetensors: model.safetensors, or the index and its shards, or
// open_clip_model.safetensors, or the only file of that kind. Configs and the index are fetched at
// once, as the weights' names and shapes alone do not say everything. Throws HubError: nothing of
// that name, no safetensors (with what there is instead), names or hashes that are none; as
// fetch_blob does.
RemoteModel look_up(Client& client, const Wanted& wanted);

// Gives `path` of RemoteModel::checkpoint and what lies beside it: configs from the cache, weights
// as parts that are fetched when they are read. The client and the model have to outlive it.
FileReader remote_files(Client& client, const RemoteModel& model);

// Of the files, what is still to be fetched.
std::uint64_t missing_bytes(const RemoteModel& model);
// Throws HubError where the disk has not the room for it.
void expect_room(const RemoteModel& model);

// How far all files are.
struct ModelProgress {
    FileProgress file;
    std::uint64_t arrived = 0, size = 0;  // of all files together
};

// Fetches what is missing, then shows all files in the snapshot's folder at once, and writes the
// revision's commit to refs. Gives that folder. A part and the configs beside it come into a
// snapshot of our own cache instead. Throws as fetch_blob does.
std::filesystem::path fetch(Client& client, const RemoteModel& model,
                            const std::function<void(const ModelProgress&)>& tell);

// Offline: the folder where the cache has the wanted files. Throws HubError where it has not.
std::filesystem::path find_in_cache(const Wanted& wanted);

}  // namespace headlight::hub
