#pragma once

#include <optional>
#include <string>

#include "files/state_dicts.h"
#include "files/tensor_file.h"

namespace headlight {

// A checkpoint. For a PyTorch file with several dictionaries of weights, also which one was opened.
// open_tensor_file() opens the default one.
struct OpenedCheckpoint {
    TensorFile file;
    FileParts parts;                    // empty for other formats
    std::optional<std::string> inside;  // what `part` names within these tensors
};

// As open_tensor_file(); `part` is the value of --part. Also throws if no dictionary contains it.
OpenedCheckpoint open_checkpoint(const std::string& path, const FileReader& read,
                                 const std::optional<std::string>& part, const StopFlag& stop = {});

}  // namespace headlight
