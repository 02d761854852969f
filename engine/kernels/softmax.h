#pragma once

#include "kernels/matrix.h"

namespace headlight {

// out[i] = exp(in[i] − max) / Σ exp(in[j] − max). Subtracting the maximum changes nothing in exact
// arithmetic and keeps exp in range. All −inf: zeros. A NaN or +inf anywhere: the whole row is NaN.
// in and out: `count` floats, count >= 1; they may be the same.
void softmax(const float* in, float* out, Index count);

}  // namespace headlight
