#pragma once

#include <limits>
#include <vector>

#include "attention/layer.h"
#include "kernels/matrix.h"

// Numbers about results, for the inspector. Reads matrices, computes no layer.
namespace headlight {

// Over the finite cells. Where there is none (finite == 0), min, max, mean and deviation are NaN:
// nothing is known of them.
struct Statistics {
    static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

    float min = kUnknown, max = kUnknown;
    double mean = kUnknown, deviation = kUnknown;  // population standard deviation
    Index finite = 0, nan = 0, infinite = 0;
};
Statistics statistics(const MatrixView& matrix);

// Counts of finite cells in `bins` equal intervals of [low, high]; the last one includes `high`.
// Cells outside are not counted; where a bound is NaN, none is.
std::vector<Index> histogram(const MatrixView& matrix, float low, float high, int bins);

// Shannon entropy in bits of what one query reads, −Σ a log2 a within 1e-6: 0 where it reads one
// token, log2(count) where it reads all alike, NaN where there is NaN.
double entropy(const float* row, Index count);
double mean_entropy(const MatrixView& attention);  // over the rows

// Over how many tokens rows of attention [N, M] are spread: 2^H, H being mean_entropy(). A row
// that reads k tokens alike and no other is spread over k; the number is known as perplexity. In
// [1, M]; NaN for a row with NaN.
double effective_tokens(const MatrixView& attention);

// The least and the greatest sum of a row; both NaN where any row's is.
struct RowSums {
    float min = 0, max = 0;
};
RowSums row_sums(const MatrixView& matrix);

// now − before, cell by cell. The caller passes equal shapes.
Matrix difference(const MatrixView& now, const MatrixView& before);

// One column of a matrix (who is *read by* whom) or one row, as a [1, n] matrix.
Vector column_of(const MatrixView& matrix, Index col);

}  // namespace headlight
