#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/tensor_file.h"

// Training code wraps modules in others, whose names then appear in the middle of tensor names:
// torch.compile's _orig_mod, FSDP's _fsdp_wrapped_module, DistributedDataParallel's module.
namespace headlight {

struct Unwrapped {
    TensorFile file;
    std::vector<std::string> wrappers;             // removed from names, each once
    std::map<std::string, std::string> own_names;  // original names of the renamed tensors
};

// The same tensors with wrappers removed from their names: "blocks.0._orig_mod.norm1.weight"
// becomes "blocks.0.norm1.weight". Wrappers at the beginning are part of the prefix and stay. If
// two tensors would get the same name, both keep their own.
Unwrapped without_wrappers(const TensorFile& file);
// The same for the prefix of a name: "encoder.module" becomes "encoder".
std::string without_wrappers(const std::string& prefix);

}  // namespace headlight
