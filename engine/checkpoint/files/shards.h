#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "kernels/stop.h"

namespace headlight {

// The index of a checkpoint in several files, as Hugging Face writes it
// (model.safetensors.index.json): a JSON object whose weight_map gives the file of each tensor.
struct ShardIndex {
    std::map<std::string, std::set<std::string>> tensors;  // by file; plain file names without
                                                           // folders
    std::map<std::string, std::string> metadata;           // text entries; also aliases (aliases.h)
};

// Throws CheckpointError for a file that is not JSON or has no weight_map (such as a config.json),
// a repeated tensor, a file in another folder, more than kMaxTensors, and missing shards of the N
// in their names ("-00001-of-00003"). Throws Stopped.
ShardIndex parse_shard_index(std::span<const std::byte> json, const std::string& name,
                             const StopFlag& stop = {});

// "a/model-00001-of-00003.safetensors" → "a/model.safetensors.index.json", and likewise for ".bin",
// Hugging Face's older PyTorch format. Nothing for other names and for a single shard, "1 of 1".
std::optional<std::string> index_of_shard(const std::string& path);

}  // namespace headlight
