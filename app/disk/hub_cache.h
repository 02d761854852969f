#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stop.h"

// The Hugging Face Hub's cache on this disk, shared by all programs of the user
// (huggingface/hub-docs, docs/hub/local-cache.md):
//
//   models--ORG--NAME/blobs/ETAG             the files, by their hashes
//                     refs/REVISION          the commit of a branch or tag, 40 hex digits
//                     snapshots/COMMIT/PATH  a link to ../../blobs/ETAG, or the file itself
//
// All names are checked, because they come from folders, files and servers. Always open a file
// through the link: the blob has no file extension and no config beside it.
namespace headlight {

// The first of these that is set: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
// XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub. Empty if there is no home either.
std::filesystem::path hub_cache_folder();
// Headlight's own cache for parts of models, in the Hub's layout: XDG_CACHE_HOME/headlight/hub or
// ~/.cache/headlight/hub. The Hub does not know these partial files, so they must not be in its
// cache.
std::filesystem::path part_cache_folder();
// Features of images (index/feature_cache.h): XDG_CACHE_HOME/headlight/features or
// ~/.cache/headlight/features. Empty if there is no home either.
std::filesystem::path feature_cache_folder();
// The file with the user's token: HF_TOKEN_PATH, HF_HOME/token, or the default HF_HOME's. Empty if
// there is no home.
std::filesystem::path hub_token_file();
// Whether HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE forbids network access.
bool is_hub_offline();

// "timm/vit_small_patch16_224.dino": one slash; letters, digits, ".", "-", "_", as the Hub allows.
bool is_hub_repository(std::string_view name);
// A branch, tag or commit: "main", "v1.0", "refs/pr/1".
bool is_hub_revision(std::string_view name);
bool is_hub_commit(std::string_view name);  // 40 hex digits
bool is_hub_etag(std::string_view name);    // 40 (git's sha1) or 64 hex digits (sha256)
// The path of a file in a repository, with "/" between folders. Relative, without "..", at most 256
// characters.
bool is_hub_path(std::string_view path);

// A model name as the user types it: ORG/NAME or ORG/NAME@REVISION.
struct HubName {
    std::string repository;
    std::string revision;  // empty if none was given
    bool operator==(const HubName&) const = default;
};
std::optional<HubName> parse_hub_name(std::string_view text);

// "models--ORG--NAME", and back; empty if the folder's name belongs to no repository. Some old
// repositories have no ORG: "models--NAME".
std::string hub_folder_name(std::string_view repository);
std::optional<std::string> hub_repository_of(std::string_view folder_name);
// The repository of a path in the Hub's cache or in our own, existing or not.
std::optional<std::string> hub_repository_with(const std::filesystem::path& path);

// Paths of a repository's files in the cache, existing or not. The names must have passed the
// checks above.
std::filesystem::path hub_repository_folder(const HubName& name);
std::filesystem::path part_repository_folder(const HubName& name);  // in our own cache of parts
std::filesystem::path hub_blob(const std::filesystem::path& repository, std::string_view etag);
std::filesystem::path hub_ref(const std::filesystem::path& repository, std::string_view revision);
std::filesystem::path hub_snapshot(const std::filesystem::path& repository,
                                   std::string_view commit);

// The snapshots of a model in the Hub's cache and in our own, preferred one first: for the same
// commit the whole file before a part, otherwise the commit that the revision pointed to last.
std::vector<std::filesystem::path> find_hub_snapshots(const HubName& name);

// A model's checkpoint in a snapshot (checkpoint_in), or in its only subfolder that has one.
std::optional<std::filesystem::path> checkpoint_in_snapshot(const std::filesystem::path& snapshot);

// Resolves a model name: a file; a folder with one model in it; a repository's folder in the cache,
// models--ORG--NAME; or a repository name in the cache, ORG/NAME. The last two also with @REVISION.
// Our own cache may have a part of the model: find_hub_snapshots() says which to prefer. Returns
// the file, or the name unchanged if it is an unknown path. Throws std::runtime_error with a
// sentence if the repository or revision is not in the cache, or the folder has no model.
std::string find_model(const std::string& name);

// Whether find_model() would resolve the name from the cache: an existing name, or a folder of it.
bool names_cached_model(const std::string& name);

// A model in one of the shared caches.
struct LocalModel {
    std::string name;            // its published name
    std::filesystem::path file;  // the checkpoint, through the cache's link
    std::string problem{};       // one sentence if there is no file to open; `file` is then empty
};
// All models in the Hub's cache, in our own and in torch.hub's (TORCH_HOME/hub/checkpoints or
// XDG_CACHE_HOME/torch/hub/checkpoints), in natural order of their names. Checks names only and
// opens no file. Throws Stopped.
std::vector<LocalModel> local_models(const StopFlag& stop = {});

}  // namespace headlight
