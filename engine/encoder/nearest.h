#pragma once

#include <vector>

#include "ops/ops.h"
#include "trace/trace.h"

namespace headlight {

// True if there is a residual stream and it has the same width before each layer and after the
// last.
bool has_one_width(const Trace& trace);

// The counterpart of the logit lens for models without classes. It compares a token after each
// layer with all tokens at the end of the model. All rows pass through the final norm, if it
// applies to all tokens. Result: cosines [layers + 1, N], in [-1, 1]; row 0 is for the input of the
// first layer, row l for the output of layer l. In the last row the token's own cosine is 1. Sums
// in double; 0 for a row of zeros, NaN for a row with NaN.
//
// For the first sample. Throws RecipeError if there is no such residual stream or token, Stopped on
// a stop request.
Matrix cosines_to_outputs(const Trace& trace, Index token, const StopFlag& stop = {});

// The `count` tokens with the largest cosines in that row, without `token` itself, in descending
// order; ties in ascending order of index. Tokens with a NaN cosine are left out.
std::vector<Index> nearest_tokens(const MatrixView& cosines, Index row, Index token, Index count);

}  // namespace headlight
