#pragma once

#include "kernels/matrix.h"

namespace headlight {

// out[i] = exp(in[i] − max) / Σ exp(in[j] − max). Subtracting the maximum changes nothing in exact
// arithmetic and keeps exp in range. All −inf: zeros. A NaN or +inf anywhere: the whole row is NaN.
// in and out: `count` floats, count >= 1; they may be the same.
void softmax(const float* in, float* out, Index count);

// 1 for the largest, the first of equal ones, and 0 for all others. All −inf: zeros. A NaN
// anywhere: the whole row is NaN. As softmax, of which this is the limit where the temperature goes
// to 0.
void largest_alone(const float* in, float* out, Index count);

}  // namespace headlight
