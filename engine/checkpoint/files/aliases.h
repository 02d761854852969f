#pragma once

#include <map>
#include <string>

#include "files/stored_tensor.h"

namespace headlight {

using Metadata = std::map<std::string, std::string>;  // metadata of a checkpoint

// Adds the tensors that share their numbers with a stored tensor. safetensors.torch.save_model and
// huggingface_hub store such numbers once, and write the other names into the metadata, each with
// the name of the stored tensor. Follows chains; ignores other metadata ("format": "pt"). `file`
// appears in errors. Throws CheckpointError if an entry looks like tensor names but refers to no
// tensor.
void add_aliases(StoredTensors& tensors, const Metadata& metadata, const std::string& file);

}  // namespace headlight
