#pragma once

#include <limits>
#include <vector>

#include "attention/layer.h"
#include "kernels/matrix.h"

// Statistics of matrices, for the inspector. Computes no layers.
namespace headlight {

// Over the finite cells. If there are none (finite == 0), min, max, mean and deviation are NaN.
struct Statistics {
    static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

    float min = kUnknown, max = kUnknown;
    double mean = kUnknown, deviation = kUnknown;  // population standard deviation
    Index finite = 0, nan = 0, infinite = 0;
};
Statistics statistics(const MatrixView& matrix);

// Counts finite cells in `bins` equal intervals of [low, high]; the last one includes `high`. Cells
// outside are not counted. If a bound is NaN, no cell is counted.
std::vector<Index> histogram(const MatrixView& matrix, float low, float high, int bins);

// Shannon entropy in bits of one query's attention weights, −Σ a log2 a, within 1e-6. 0 if it
// attends to one token, log2(count) for uniform attention, NaN if there is a NaN.
double entropy(const float* row, Index count);
double mean_entropy(const MatrixView& attention);  // mean over the rows

// Effective number of tokens of attention rows [N, M]: 2^H with H = mean_entropy(), also called
// perplexity. A row that attends equally to k tokens and to no others gives k. In [1, M]; NaN if
// there is a NaN.
double effective_tokens(const MatrixView& attention);

// The smallest and the largest row sum; both NaN if any row sum is NaN.
struct RowSums {
    float min = 0, max = 0;
};
RowSums row_sums(const MatrixView& matrix);

// after − before, cell by cell. The shapes must be equal.
Matrix difference(const MatrixView& now, const MatrixView& before);

// One column of a matrix (how much each token attends to this one), or one row, as a [1, n] matrix.
Vector column_of(const MatrixView& matrix, Index col);

}  // namespace headlight
