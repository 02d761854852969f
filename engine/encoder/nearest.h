#pragma once

#include <vector>

#include "ops/ops.h"
#include "trace/trace.h"

namespace headlight {

// Whether there is a stream, and it is as wide before each layer as after the last.
bool has_one_width(const Trace& trace);

// What takes the place of a lens where a model has no classes to answer with: what a token is
// after each layer, read by the model's final norm where it has one for all tokens, against what
// all tokens are in the end, read so too. Cosines [layers + 1, N], in [-1, 1]; row 0 of what enters
// the first layer, row l of what layer l leaves; in the last row the token's own is 1. Sums in
// double; 0 for a row of zeros, NaN for a row that has NaN.
//
// Of the first sample. Throws RecipeError where there is no such stream, or no such token; Stopped
// when told to stop.
Matrix cosines_to_outputs(const Trace& trace, Index token, const StopFlag& stop = {});

// The `count` tokens with the greatest cosines in that row, but for `token` itself, greatest first;
// of equal ones the lower comes first. Where a cosine is NaN, its token is left out.
std::vector<Index> nearest_tokens(const MatrixView& cosines, Index row, Index token, Index count);

}  // namespace headlight
