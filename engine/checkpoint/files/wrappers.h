#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/tensor_file.h"

// Training code puts modules around others, and their names then stand in the middle of a tensor's:
// torch.compile's _orig_mod, FSDP's _fsdp_wrapped_module, DistributedDataParallel's module.
namespace headlight {

struct Unwrapped {
    TensorFile file;
    std::vector<std::string> wrappers;             // that were left out of names, each once
    std::map<std::string, std::string> own_names;  // of the tensors that have another name now
};

// The same tensors under names without wrappers: "blocks.0._orig_mod.norm1.weight" becomes
// "blocks.0.norm1.weight". Wrappers at the beginning are part of the prefix and stay. If two
// tensors would get one name, both keep their own.
Unwrapped without_wrappers(const TensorFile& file);
// The beginning of a tensor's name as it is there: "encoder.module" becomes "encoder".
std::string without_wrappers(const std::string& prefix);

}  // namespace headlight
