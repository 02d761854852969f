#pragma once

#include <optional>
#include <string>

#include "files/tensor_reader.h"
#include "model/config.h"

// Tensors of a model that do not affect its output.
namespace headlight {

// True if this tensor of `at` has no effect on the output. Examples are a counter, the state of a
// metric, a training parameter (a loss's weights, a dropout rate), the mean and standard deviation
// of pixels, position indices in order, and a mask that masks nothing. If the name does not decide,
// the values do. Throws the exceptions of reading the tensor.
bool is_harmless_buffer(TensorReader at, const std::string& name);

// The mean and standard deviation of pixels, from 0 to 1, from tensors of the model or of an
// enclosing module. Nothing if there are no such tensors.
std::optional<ModelConfig> pixel_statistics(const TensorReader& at);

// A prefix and all enclosing ones: "net.vit.", "net." and "" for "net.vit.".
std::vector<std::string> enclosing_prefixes(const std::string& prefix);

}  // namespace headlight
