#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "kernels/stop.h"

namespace headlight {

// The index of a checkpoint in several files, as Hugging Face writes it
// (model.safetensors.index.json): a JSON object whose weight_map says which file has which tensor.
struct ShardIndex {
    std::map<std::string, std::set<std::string>> tensors;  // by file; plain names, no folders
    std::map<std::string, std::string> metadata;           // its texts; aliases too (aliases.h)
};

// Throws CheckpointError: not JSON, no weight_map (a config.json, for example), a tensor twice, a
// file in another folder, more than kMaxTensors, not all of the N shards that their names speak of
// ("-00001-of-00003"); Stopped.
ShardIndex parse_shard_index(std::span<const std::byte> json, const std::string& name,
                             const StopFlag& stop = {});

// "a/model-00001-of-00003.safetensors" → "a/model.safetensors.index.json", and so for ".bin", as
// Hugging Face stored PyTorch's before; nothing for other names
// and for the only one of one.
std::optional<std::string> index_of_shard(const std::string& path);

}  // namespace headlight
