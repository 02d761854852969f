#pragma once

#include <map>
#include <string>

#include "files/stored_tensor.h"

namespace headlight {

using Metadata = std::map<std::string, std::string>;  // what a checkpoint says of itself

// Tensors that share their numbers are stored once. safetensors.torch.save_model and
// huggingface_hub write the other names into the metadata, each with the name of the stored tensor.
// Adds them as tensors with the same bytes. Chains are followed; other metadata ("format": "pt") is
// left alone. `file` appears in errors. Throws CheckpointError where an entry names tensors by
// their look, but leads to none.
void add_aliases(StoredTensors& tensors, const Metadata& metadata, const std::string& file);

}  // namespace headlight
