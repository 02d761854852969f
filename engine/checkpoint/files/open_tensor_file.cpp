#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "files/npy.h"
#include "files/npz.h"
#include "files/open_checkpoint.h"
#include "files/recognize.h"
#include "files/safetensors.h"
#include "files/shards.h"
#include "files/tensor_file.h"

// Chooses the reader of a file, and combines shards.
namespace headlight {

namespace {

// "maps/layer0.npy" → "layer0"
std::string stem(const std::string& path, std::string_view ending = ".npy") {
    std::string name = std::filesystem::path(path).filename().string();
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    return name;
}

StateDict from_zip(const File& file, const std::string& path,
                   const std::optional<std::string>& part, const StopFlag& stop) {
    const auto members = zip_members(file, path);
    if (!TorchArchive::is_one(members)) return {read_npz(members, path, stop), {}, part};
    const TorchArchive archive(members, path, stop);
    const PickleId root = archive.pickle().root();
    if (!archive.is_tensor(root)) return read_state_dict(archive, path, part, stop);
    const std::string name = stem(stem(path, ".pth"), ".pt");  // for a file with a single tensor
    return {{{name, archive.tensor(root, name)}}, {}, part};
}

// Enough bytes to recognize the format.
FileBytes beginning(const File& file) {
    return file.part(0, std::min<std::uint64_t>(file.size(), kBytesToRecognize)).bytes();
}

// The combined content of all shards.
struct Shards {
    SafetensorsContent all;
    std::set<std::string> promised;  // listed in the index
};

// Reads a shard in safetensors format, or in PyTorch's, which Hugging Face used before.
SafetensorsContent shard_content(const File& file, const std::string& path, const StopFlag& stop) {
    const FileBytes first = beginning(file);
    switch (recognize(first)) {
        case FileFormat::safetensors:
            return safetensors_content(file, path, stop);
        case FileFormat::zip:
            return {from_zip(file, path, {}, stop).tensors, {}};
        default:
            refuse_format(first, path);
    }
}

// Adds the tensors that the index lists for this shard. Refuses a shard with tensors that the index
// does not list, because they would be lost silently.
void add_shard(Shards& shards, const std::set<std::string>& wanted, const std::string& path,
               const FileReader& read, const StopFlag& stop) {
    const File file = read(path);
    SafetensorsContent shard = shard_content(file, path, stop);
    for (const std::string& name : wanted)
        if (!shard.tensors.contains(name) && !shard.metadata.contains(name))
            Source(path).refuse("the tensor " + in_quotes(name) + ", which the index lists",
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
            Source(path).refuse("the shard " + in_quotes(file) + " next to it", "none");
        }
    }
    add_aliases(shards.all.tensors, shards.all.metadata, path);
    for (const std::string& name : shards.promised)
        if (!shards.all.tensors.contains(name))
            Source(path).refuse("a tensor " + in_quotes(name), "an alias without a tensor");
    return std::move(shards.all.tensors);
}

StoredTensors from_shard(const std::string& path, const std::string& index, const FileReader& read,
                         const StopFlag& stop) {
    try {
        return from_index(read(index), index, read, stop);
    } catch (const FileMissing&) {
        Source(path).refuse("the other shards' index " + in_quotes(index) + " next to it", "none");
    }
}

}  // namespace

OpenedCheckpoint open_checkpoint(const std::string& path, const FileReader& read,
                                 const std::optional<std::string>& part, const StopFlag& stop) {
    throw_if_stopped(stop);
    const File file = read(path);
    const FileBytes first = beginning(file);
    const auto opened = [&](StoredTensors tensors) {
        return OpenedCheckpoint{{path, std::move(tensors), stop}, {}, part};
    };
    const FileFormat format = recognize(first);
    if (const auto index = index_of_shard(path);
        index && (format == FileFormat::safetensors || format == FileFormat::zip))
        return opened(from_shard(path, *index, read, stop));
    switch (format) {
        case FileFormat::safetensors:
            return opened(safetensors_entries(file, path, stop));
        case FileFormat::zip: {
            StateDict dict = from_zip(file, path, part, stop);
            return {{path, std::move(dict.tensors), stop}, std::move(dict.parts), dict.inside};
        }
        case FileFormat::npy:
            return opened({{stem(path), read_npy(file.bytes(stop), path)}});
        case FileFormat::json:
            return opened(from_index(file, path, read, stop));
        case FileFormat::other:
            break;
    }
    refuse_format(first, path);
}

TensorFile open_tensor_file(const std::string& path, const FileReader& read, const StopFlag& stop) {
    return open_checkpoint(path, read, {}, stop).file;
}

}  // namespace headlight
