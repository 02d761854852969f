#pragma once

#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "positions/rotary.h"

namespace headlight {

// Q·Kᵀ of one query and one key, rotated to every pair of positions in a row and in a column, and
// averaged by offset.
struct RotaryProfile {
    // Mean products for offsets (key minus query) from −(n − 1) to n − 1.
    std::vector<double> along_row, down_column;
    // Largest difference between products of equal offsets, relative to the largest product.
    double spread = 0;
};

// query and key [1, head_dim] before rotation; sine and cosine [N, head_dim] of all tokens. Uses
// the row and the column of `patch`, counted from 0. Sums in double. Throws AnalysisError if these
// do not fit together.
RotaryProfile rotary_profile(const MatrixView& query, const MatrixView& key, const Rotary& rotary,
                             const MatrixView& sine, const MatrixView& cosine,
                             const TokenGrid& places, Index patch);

}  // namespace headlight
