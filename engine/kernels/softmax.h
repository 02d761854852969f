#pragma once

#include "kernels/matrix.h"

namespace headlight {

// out[i] = exp(in[i] − max) / Σ exp(in[j] − max). Subtracting the maximum changes nothing in exact
// arithmetic and keeps exp in range. All −inf: zeros. A NaN or +inf anywhere: the whole row is NaN.
// in and out: `count` floats, count >= 1; they may be the same. The returned RowScale is what each
// weight depends on besides its own score.
struct RowScale {
    float top = 0;   // max
    float part = 0;  // 1 / Σ exp(in[j] − max)
};
RowScale softmax(const float* in, float* out, Index count);

// softmax of each row of x in place, with the same bits, but faster for a few rows at once: the
// processor works on one row's maximum while it waits for another's. scales: one for each row.
inline constexpr Index kRowsAtOnce = 8;
void softmax_rows(const MatrixSpan& x, RowScale* scales);

// out[i]: the attention weight of score in[i], where each score belongs to a different row; rows[i]
// is what softmax returned for that row. Bit for bit equal to softmax. in and out may be the same.
void weights_of(const float* in, const RowScale* rows, float* out, Index count);

// 1 for the largest, the first of equal ones, and 0 for all others. All −inf: zeros. A NaN
// anywhere: the whole row is NaN. This is the limit of softmax as the temperature goes to 0.
void largest_alone(const float* in, float* out, Index count);

}  // namespace headlight
