#pragma once

#include <optional>
#include <string>

#include "files/tensor_reader.h"

// Models that Headlight does not read, known by names of their tensors, so that a refusal can say
// what a file is. The tables in foreign.cpp are there to be extended.
namespace headlight {

// A relative of a family that we read, near enough in its names to be taken for it: "DINOv3
// (Hugging Face)".
std::optional<std::string> relative_named(const TensorReader& file);

// Anything else that is no vision transformer of ours: "a text model (GPT-2)".
std::optional<std::string> stranger_named(const TensorReader& file);

// Whether a tensor is called what only a model's is: weight, bias, kernel, running_mean, ...
bool names_weights(const TensorReader& file);

}  // namespace headlight
