#pragma once

#include <cstdint>

#include "files/tensor_file.h"

namespace headlight {

// The file with the numbers of each weight matrix in a random order, for the check with randomized
// weights: Adebayo et al., "Sanity Checks for Saliency Maps", arXiv 1810.03292. The tensors keep
// their shapes and the distribution of their numbers. Biases, norms, tokens and positions stay.
// Throws the exceptions of reading the file, and Stopped.
TensorFile with_shuffled_weights(const TensorFile& file, std::uint64_t seed, const StopFlag& stop);

}  // namespace headlight
