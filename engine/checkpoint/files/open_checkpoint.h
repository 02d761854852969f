#pragma once

#include <optional>
#include <string>

#include "files/state_dicts.h"
#include "files/tensor_file.h"

namespace headlight {

// A checkpoint and, of a PyTorch file that holds several dictionaries of weights, which of them
// these are. open_tensor_file() gives the tensors of the usual one.
struct OpenedCheckpoint {
    TensorFile file;
    FileParts parts;                    // none of other formats
    std::optional<std::string> inside;  // what `part` names within these tensors
};

// As open_tensor_file(); `part` is what --part says. Throws also where it is in no dictionary.
OpenedCheckpoint open_checkpoint(const std::string& path, const FileReader& read,
                                 const std::optional<std::string>& part, const StopFlag& stop = {});

}  // namespace headlight
