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

// A request for a model.
struct Wanted {
    HubName name;
    std::vector<std::string> paths{};  // empty: the model and its configs
};

// What the Hub says about it, before anything large is downloaded.
struct RemoteModel {
    HubName name;  // as requested
    std::string commit;
    std::string renamed_to;  // the repository's current name; empty: unchanged
    std::string license;     // in words; empty: not stated
    std::vector<RemoteFile> files;
    std::string checkpoint;          // the model or its shard index, one of `files`; empty: none
    std::optional<FilePart> part{};  // part of the checkpoint to download; empty: all

    [[nodiscard]] std::uint64_t bytes() const;  // total size of the download
};

// The Hub does not know parts, so a part has its own name in our cache, and its header says what it
// belongs to: "openai/clip-vit-base-patch32, model.safetensors, commit …, sha256 …".
std::string name_of_part(const RemoteModel& model);
std::string origin_of_part(const RemoteModel& model);

// "88 MB, Apache 2.0"; "only its vision tower: 351 MB of 605 MB, MIT"
std::string size_and_license(const RemoteModel& model);

// Looks up the requested files. Without names these are config.json, preprocessor_config.json and
// the like, and the weights as safetensors: model.safetensors, or the index and its shards, or
// open_clip_model.safetensors, or the only file of that kind. Downloads configs and the index at
// once, because names and shapes of weights are not enough. Throws HubError if there is no such
// repository, no safetensors (the message lists what there is), or names or hashes are invalid; and
// as fetch_blob does.
RemoteModel look_up(Client& client, const Wanted& wanted);

// Reads `path` of RemoteModel::checkpoint and the files beside it: configs from the cache, weights
// as parts that are downloaded on demand. The client and the model must outlive it.
FileReader remote_files(Client& client, const RemoteModel& model);

// The number of bytes still to be downloaded.
std::uint64_t missing_bytes(const RemoteModel& model);
// Throws HubError if the disk has too little free space, or a page would need too much memory.
void expect_room(const RemoteModel& model);

// The progress of all files.
struct ModelProgress {
    FileProgress file;
    std::uint64_t arrived = 0, size = 0;  // bytes of all files together
};

// Downloads what is missing, then links all files into the snapshot's folder at once, and writes
// the revision's commit to refs. Returns that folder. A part and its configs go to a snapshot in
// our own cache instead. Throws as fetch_blob does.
std::filesystem::path fetch(Client& client, const RemoteModel& model,
                            const std::function<void(const ModelProgress&)>& tell);

// For offline use: the cached folder with the requested files. Throws HubError if they are not all
// there.
std::filesystem::path find_in_cache(const Wanted& wanted);

}  // namespace headlight::hub
