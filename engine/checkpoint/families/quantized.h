#pragma once

#include "files/tensor_reader.h"

namespace headlight {

// Refuses an encoder (at the prefix of `at`) whose weights are packed into fewer bits:
// bitsandbytes, GPTQ, AWQ, FP8 with scales, quanto or compressed-tensors. Headlight cannot unpack
// them.
void expect_not_quantized(const TensorReader& at);

}  // namespace headlight
