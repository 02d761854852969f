#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"

// How alike two rows of numbers are.
namespace headlight {

// The cosine of the angle between row `row` and every row of tokens [N, C]: [1, N], in [-1, 1]; the
// sums in double. 0 for a row of zeros, NaN where a row has NaN. Throws AnalysisError for a row
// that there is not.
Vector cosines_to(const MatrixView& tokens, Index row);

// The cosine of the angle between every row of a [N, C] and every row of b [M, C]: [N, M], with the
// same sums and the same cases. Throws AnalysisError where the rows are not of one width.
Matrix cosines_between(const MatrixView& a, const MatrixView& b);

// Rows a of one matrix and b of another that are each other's most similar one, by a: of cosines
// [N, M] those largest in their row and in their column, the first of equal ones.
struct PatchPair {
    Index a = 0, b = 0;
    float cosine = 0;

    friend bool operator==(const PatchPair&, const PatchPair&) = default;
};
std::vector<PatchPair> mutual_nearest(const Matrix& cosines);

// Pearson's correlation of the cells of two matrices of one shape; NaN where either is constant.
double correlation(const MatrixView& a, const MatrixView& b);

// Half the sum of |a − b|: how much of what one shares out the other gives to somebody else. In
// [0, 1] for two rows of attention. Both of one shape.
double total_variation(const MatrixView& a, const MatrixView& b);

}  // namespace headlight
