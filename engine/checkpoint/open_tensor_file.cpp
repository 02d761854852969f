#include <algorithm>
#include <string_view>
#include <utility>

#include "checkpoint/npy.h"
#include "checkpoint/recognise.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/shards.h"
#include "checkpoint/tensor_file.h"
#include "kernels/stop.h"

// Which reader a file gets, and how shards come together.
namespace headlight {

namespace {

StoredTensors from_zip(const FileBytes& file, const std::string& path,
                       const LoadProgress& progress) {
    const auto members = zip_members(file, path);
    const bool is_torch = std::ranges::any_of(members, [](const ZipMember& member) {
        return member.name == "data.pkl" || member.name.ends_with("/data.pkl");
    });
    if (is_torch) refuse_pickle(path);
    return read_npz(file, members, path, progress);
}

// "maps/layer0.npy" → "layer0"
std::string stem(const std::string& path) {
    constexpr std::string_view kEnding = ".npy";
    std::string name = path.substr(path.find_last_of('/') + 1);
    if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
    return name;
}

// The tensors that the index promises of this shard; what else it holds belongs to nobody.
void add_shard(StoredTensors& all, const std::set<std::string>& wanted, const std::string& path,
               const FileReader& read) {
    const FileBytes file = read(path);
    if (recognise(file) != FileFormat::safetensors) refuse_format(file, path);
    StoredTensors tensors = safetensors_entries(file, path);
    for (const std::string& name : wanted) {
        const auto found = tensors.find(name);
        if (found == tensors.end())
            Source(path).refuse("the tensor " + in_quotes(name) + ", which the index promises",
                                "none");
        all[name] = std::move(found->second);
    }
}

StoredTensors from_index(const FileBytes& index, const std::string& path, const FileReader& read,
                         const LoadProgress& progress) {
    const ShardIndex shards = parse_shard_index(index, path);
    StoredTensors all;
    std::size_t done = 0;
    for (const auto& [file, tensors] : shards.tensors) {
        try {
            add_shard(all, tensors, beside(path, file), read);
        } catch (const FileMissing&) {
            Source(path).refuse("the shard " + in_quotes(file) + " beside it", "none");
        }
        const float part = static_cast<float>(++done) / static_cast<float>(shards.tensors.size());
        if (progress && !progress(part)) throw Stopped();
    }
    return all;
}

StoredTensors from_shard(const std::string& path, const std::string& index, const FileReader& read,
                         const LoadProgress& progress) {
    try {
        return from_index(read(index), index, read, progress);
    } catch (const FileMissing&) {
        Source(path).refuse("the other shards' index " + in_quotes(index) + " beside it", "none");
    }
}

}  // namespace

TensorFile open_tensor_file(const std::string& path, const FileReader& read,
                            const LoadProgress& progress) {
    if (progress && !progress(0)) throw Stopped();
    const FileBytes file = read(path);
    switch (recognise(file)) {
        case FileFormat::safetensors:
            if (const auto index = index_of_shard(path))
                return {path, from_shard(path, *index, read, progress)};
            return {path, safetensors_entries(file, path)};
        case FileFormat::zip:
            return {path, from_zip(file, path, progress)};
        case FileFormat::npy:
            return {path, {{stem(path), read_npy(file, path)}}};
        case FileFormat::json:
            return {path, from_index(file, path, read, progress)};
        case FileFormat::other:
            break;
    }
    refuse_format(file, path);
}

}  // namespace headlight
