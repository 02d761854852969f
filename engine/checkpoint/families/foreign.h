#pragma once

#include <optional>
#include <string>

#include "files/tensor_reader.h"

// Recognizes unsupported models by tensor names, so that an error can say what a file is. The
// tables in foreign.cpp can be extended.
namespace headlight {

// An unsupported relative of a supported family whose names are similar enough to be confused:
// "DINOv3 (Hugging Face)".
std::optional<std::string> relative_named(const TensorReader& file);

// Any other model that is not a supported vision transformer: "a text model (GPT-2)".
std::optional<std::string> stranger_named(const TensorReader& file);

// True if a tensor has a name that only weights have: weight, bias, kernel, running_mean, ...
bool names_weights(const TensorReader& file);

}  // namespace headlight
