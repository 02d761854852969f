#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/stop.h"

// The cache of the Hugging Face Hub on this disk, which all programs on the machine share
// (huggingface/hub-docs, docs/hub/local-cache.md):
//
//   models--ORG--NAME/blobs/ETAG             the files, by their hashes
//                     refs/REVISION          the commit of a branch or tag, 40 hex digits
//                     snapshots/COMMIT/PATH  a link to ../../blobs/ETAG, or the file itself
//
// Names come from folders, files and servers, so all of them are checked. A path always goes
// through the link: its target has no ending and no config beside it.
namespace headlight {

// The first that is set: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
// XDG_CACHE_HOME/huggingface/hub, ~/.cache/huggingface/hub. Empty where there is no home either.
std::filesystem::path hub_cache_folder();
// Our own cache of parts of models, in the layout of the Hub's: XDG_CACHE_HOME/headlight/hub or
// ~/.cache/headlight/hub. A part is no file that the Hub knows, so it must not lie in its cache.
std::filesystem::path part_cache_folder();
// Features of images (index/feature_cache.h): XDG_CACHE_HOME/headlight/features or
// ~/.cache/headlight/features. Empty where there is no home either.
std::filesystem::path feature_cache_folder();
// The file with a person's token: HF_TOKEN_PATH, HF_HOME/token, or the same in the usual HF_HOME.
// Empty where there is no home.
std::filesystem::path hub_token_file();
// Whether HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE says that nothing may be fetched.
bool is_hub_offline();

// "timm/vit_small_patch16_224.dino": one slash, letters, digits, ".", "-", "_", as the Hub allows
// it.
bool is_hub_repository(std::string_view name);
// A branch, tag or commit: "main", "v1.0", "refs/pr/1".
bool is_hub_revision(std::string_view name);
bool is_hub_commit(std::string_view name);  // 40 hex digits
bool is_hub_etag(std::string_view name);    // 40 (git's sha1) or 64 hex digits (sha256)
// A file of a repository by its path in it, whose folders a "/" divides. Relative, without "..",
// with at most 256 characters.
bool is_hub_path(std::string_view path);

// What a person writes: ORG/NAME or ORG/NAME@REVISION.
struct HubName {
    std::string repository;
    std::string revision;  // empty: none was written
    bool operator==(const HubName&) const = default;
};
std::optional<HubName> parse_hub_name(std::string_view text);

// "models--ORG--NAME", and back; nothing where the folder's name is that of no repository. Some old
// repositories have no ORG: "models--NAME".
std::string hub_folder_name(std::string_view repository);
std::optional<std::string> hub_repository_of(std::string_view folder_name);

// Where things of a repository lie in the cache, whether they are there or not. The names must have
// passed the checks above.
std::filesystem::path hub_repository_folder(const HubName& name);
std::filesystem::path part_repository_folder(const HubName& name);  // in our own cache of parts
std::filesystem::path hub_blob(const std::filesystem::path& repository, std::string_view etag);
std::filesystem::path hub_ref(const std::filesystem::path& repository, std::string_view revision);
std::filesystem::path hub_snapshot(const std::filesystem::path& repository,
                                   std::string_view commit);

// The snapshots of a model in the Hub's cache and in our own, the better one first: the whole file
// before a part of the same commit, else the commit that the revision has named last.
std::vector<std::filesystem::path> find_hub_snapshots(const HubName& name);

// A model's files in a snapshot: its checkpoint (checkpoint_in), also in the only folder below that
// has one.
std::optional<std::filesystem::path> checkpoint_in_snapshot(const std::filesystem::path& snapshot);

// What a person calls a model: a file; a folder with one model in it; a repository's folder in the
// cache, models--ORG--NAME; the name of a repository in the cache, ORG/NAME. The last two also with
// @REVISION. Our own cache may have a part of the model: find_hub_snapshots() says which is better.
// Gives the file, or the name as it is where it is a path of which nothing is known. Throws
// std::runtime_error with a sentence: a repository or revision that is not in the cache, a folder
// without a model.
std::string find_model(const std::string& name);

// Whether find_model() would look for it in the cache: a name that is there, or a folder of it.
bool names_cached_model(const std::string& name);

// A model that some program has left where programs share them.
struct LocalModel {
    std::string name;            // as its publishers name it
    std::filesystem::path file;  // the checkpoint, through the cache's link
    std::string problem{};       // one sentence where there is no file to open; the file is empty
};
// All models in the Hub's cache, in our own and in torch.hub's (TORCH_HOME/hub/checkpoints or
// XDG_CACHE_HOME/torch/hub/checkpoints), in natural order of their names. This looks at names only
// and opens no file. Throws Stopped.
std::vector<LocalModel> local_models(const StopFlag& stop = {});

}  // namespace headlight
