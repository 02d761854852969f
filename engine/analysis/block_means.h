#pragma once

#include "kernels/matrix.h"

// A matrix with more cells than there are pixels for, made smaller without losing its level.
namespace headlight {

// The mean of every block of rows_each × cols_each cells of cells [R, C]:
// [⌈R / rows_each⌉, ⌈C / cols_each⌉], the sums in double. Blocks at the lower and the right edge
// hold what is left. NaN where a block has NaN. rows_each, cols_each >= 1.
Matrix block_means(const MatrixView& cells, Index rows_each, Index cols_each);

}  // namespace headlight
