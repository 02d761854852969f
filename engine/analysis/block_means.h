#pragma once

#include "kernels/matrix.h"

// Downsampling of matrices with more cells than pixels, keeping the average level.
namespace headlight {

// The mean of each block of rows_each × cols_each cells of `cells` [R, C]: [⌈R / rows_each⌉, ⌈C /
// cols_each⌉]. Sums in double. Blocks at the lower and right edges may be smaller. A block with a
// NaN gives NaN. rows_each, cols_each >= 1.
Matrix block_means(const MatrixView& cells, Index rows_each, Index cols_each);

}  // namespace headlight
