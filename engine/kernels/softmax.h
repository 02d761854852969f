#pragma once

#include "kernels/matrix.h"

namespace headlight {

// out[i] = exp(in[i] − max) / Σ exp(in[j] − max). Subtracting the maximum changes nothing in exact
// arithmetic and keeps exp in range. All −inf: zeros. A NaN or +inf anywhere: the whole row is NaN.
// in and out: `count` floats, count >= 1; they may be the same. Returns what a weight of the row
// needs of the others.
struct RowScale {
    float top = 0;   // max
    float part = 0;  // 1 / Σ exp(in[j] − max)
};
RowScale softmax(const float* in, float* out, Index count);

// out[i]: the weight of score in[i] in a row of its own, bit for bit that of softmax, which gave
// rows[i]. in and out may be the same.
void weights_of(const float* in, const RowScale* rows, float* out, Index count);

// 1 for the largest, the first of equal ones, and 0 for all others. All −inf: zeros. A NaN
// anywhere: the whole row is NaN. As softmax, of which this is the limit where the temperature goes
// to 0.
void largest_alone(const float* in, float* out, Index count);

}  // namespace headlight
