#pragma once

#include "files/tensor_reader.h"

namespace headlight {

// Refuses an encoder (where `at` stands) whose weights are packed into fewer bits: bitsandbytes,
// GPTQ, AWQ, FP8 with scales, quanto or compressed-tensors. Such weights are no numbers until they
// are unpacked.
void expect_not_quantized(const TensorReader& at);

}  // namespace headlight
