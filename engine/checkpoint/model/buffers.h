#pragma once

#include <optional>
#include <string>

#include "files/tensor_reader.h"
#include "model/config.h"

// Tensors that stand in a model without changing what it computes from pixels.
namespace headlight {

// Whether this tensor of `at` is one: a counter, the state of a metric, a number of training alone
// (a loss's weights, a rate of dropout), the mean and deviation of pixels, the numbers of positions
// in order, a mask that lets every token attend to every token. The values decide where the name
// does not. Throws what reading the tensor throws.
bool is_harmless_buffer(TensorReader at, const std::string& name);

// The mean and standard deviation of pixels as tensors of the model or of what holds it say them,
// from 0 to 1. Nothing: no such tensors.
std::optional<ModelConfig> pixel_statistics(const TensorReader& at);

// What a prefix stands in: of "net.vit." that itself, "net." and "".
std::vector<std::string> enclosing_prefixes(const std::string& prefix);

}  // namespace headlight
