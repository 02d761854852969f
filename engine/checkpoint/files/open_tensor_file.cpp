#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "files/npy.h"
#include "files/npz.h"
#include "files/recognise.h"
#include "files/safetensors.h"
#include "files/shards.h"
#include "files/tensor_file.h"

// Which reader a file gets, and how shards come together.
namespace headlight {

namespace {

StoredTensors from_zip(const FileBytes& file, const std::string& path, const StopFlag& stop) {
    const auto members = zip_members(file, path);
    const bool is_torch = std::ranges::any_of(members, [](const ZipMember& member) {
        return member.name == "data.pkl" || member.name.ends_with("/data.pkl");
    });
    if (is_torch) refuse_pickle(path);
    return read_npz(file, members, path, stop);
}

// "maps/layer0.npy" → "layer0"
std::string stem(const std::string& path) {
    constexpr std::string_view kEnding = ".npy";
    std::string name = path.substr(path.find_last_of('/') + 1);
    if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
    return name;
}

// Far enough to know the format.
FileBytes beginning(const File& file) {
    return file.part(0, std::min<std::uint64_t>(file.size(), kBytesToRecognise)).bytes();
}

// What all shards say together.
struct Shards {
    SafetensorsContent all;
    std::set<std::string> promised;  // by the index
};

// The tensors that the index promises of this shard. One that it leaves out would be lost without a
// word.
void add_shard(Shards& shards, const std::set<std::string>& wanted, const std::string& path,
               const FileReader& read, const StopFlag& stop) {
    const File file = read(path);
    const FileBytes first = beginning(file);
    if (recognise(first) != FileFormat::safetensors) refuse_format(first, path);
    SafetensorsContent shard = safetensors_content(file, path, stop);
    for (const std::string& name : wanted)
        if (!shard.tensors.contains(name) && !shard.metadata.contains(name))
            Source(path).refuse("the tensor " + in_quotes(name) + ", which the index promises",
                                "none");
    for (auto& [name, tensor] : shard.tensors) {
        if (!shards.promised.contains(name))
            Source(path).refuse("tensors that the index names",
                                in_quotes(name) + ", which it leaves out");
        if (wanted.contains(name)) shards.all.tensors[name] = std::move(tensor);
    }
    shards.all.metadata.merge(shard.metadata);
}

StoredTensors from_index(const File& index, const std::string& path, const FileReader& read,
                         const StopFlag& stop) {
    if (index.size() > kMaxHeaderBytes)
        Source(path).refuse("an index of at most " + std::to_string(kMaxHeaderBytes) + " bytes",
                            std::to_string(index.size()));
    ShardIndex parsed = parse_shard_index(index.bytes(stop), path, stop);
    Shards shards;
    shards.all.metadata = std::move(parsed.metadata);
    for (const auto& [file, tensors] : parsed.tensors)
        shards.promised.insert(tensors.begin(), tensors.end());
    for (const auto& [file, tensors] : parsed.tensors) {
        try {
            add_shard(shards, tensors, beside(path, file), read, stop);
        } catch (const FileMissing&) {
            Source(path).refuse("the shard " + in_quotes(file) + " beside it", "none");
        }
    }
    add_aliases(shards.all.tensors, shards.all.metadata, path);
    for (const std::string& name : shards.promised)
        if (!shards.all.tensors.contains(name))
            Source(path).refuse("a tensor " + in_quotes(name), "an alias of none");
    return std::move(shards.all.tensors);
}

StoredTensors from_shard(const std::string& path, const std::string& index, const FileReader& read,
                         const StopFlag& stop) {
    try {
        return from_index(read(index), index, read, stop);
    } catch (const FileMissing&) {
        Source(path).refuse("the other shards' index " + in_quotes(index) + " beside it", "none");
    }
}

}  // namespace

TensorFile open_tensor_file(const std::string& path, const FileReader& read, const StopFlag& stop) {
    throw_if_stopped(stop);
    const File file = read(path);
    const FileBytes first = beginning(file);
    switch (recognise(first)) {
        case FileFormat::safetensors:
            if (const auto index = index_of_shard(path))
                return {path, from_shard(path, *index, read, stop), stop};
            return {path, safetensors_entries(file, path, stop), stop};
        case FileFormat::zip:
            return {path, from_zip(file.bytes(stop), path, stop), stop};
        case FileFormat::npy:
            return {path, {{stem(path), read_npy(file.bytes(stop), path)}}, stop};
        case FileFormat::json:
            return {path, from_index(file, path, read, stop), stop};
        case FileFormat::other:
            break;
    }
    refuse_format(first, path);
}

}  // namespace headlight
