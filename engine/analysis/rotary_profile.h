#pragma once

#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "positions/rotary.h"

namespace headlight {

// What the product of one query and one key is when both are put at every two places of a row, and
// of a column: turned as their places have it, multiplied, and gathered by the offset.
struct RotaryProfile {
    // Mean products, of offsets from −(n − 1) to n − 1: key minus query.
    std::vector<double> along_row, down_column;
    // How much products of equal offsets differ at most, relative to the largest product.
    double spread = 0;
};

// query and key [1, head_dim] before rotation; sine and cosine [N, head_dim] of all tokens; the row
// and the column are those of `patch`, which counts from 0. Sums in double. Throws AnalysisError
// where these do not fit together.
RotaryProfile rotary_profile(const MatrixView& query, const MatrixView& key, const Rotary& rotary,
                             const MatrixView& sine, const MatrixView& cosine,
                             const TokenGrid& places, Index patch);

}  // namespace headlight
