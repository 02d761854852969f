#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

// Similarity of rows and matrices.
namespace headlight {

// The cosines between row `row` and every row of tokens [N, C]: [1, N], in [-1, 1]. Sums in double.
// 0 for a row of zeros, NaN for a row with NaN. Throws AnalysisError for a row that does not exist.
Vector cosines_to(const MatrixView& tokens, Index row);

// The cosines between every row of a [N, C] and every row of b [M, C]: [N, M], with the same sums
// and special cases. Throws AnalysisError if the widths differ.
Matrix cosines_between(const MatrixView& a, const MatrixView& b);

// Row a of one matrix and row b of another that are each other's most similar row. From cosines [N,
// M]: cells that are the largest in their row and in their column, the first of equal ones, ordered
// by a.
struct PatchPair {
    Index a = 0, b = 0;
    float cosine = 0;

    friend bool operator==(const PatchPair&, const PatchPair&) = default;
};
std::vector<PatchPair> mutual_nearest(const Matrix& cosines);

// Pearson correlation of the cells of two matrices of the same shape; NaN if either is constant.
double correlation(const MatrixView& a, const MatrixView& b);

// Total variation distance: half the sum of |a − b|. In [0, 1] for two rows of attention weights.
// Both must have the same shape.
double total_variation(const MatrixView& a, const MatrixView& b);

}  // namespace headlight
