#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "trace/trace.h"

// Statistics of a relative position bias (positions/relative.h). An offset is (rows down, columns
// right) from query to key.
namespace headlight {

// One head's bias as an image [2·rows − 1, 2·cols − 1]: offset 0 is in the middle, keys above the
// query are above it. table [offsets, H], possibly with three additional rows. Throws AnalysisError
// if the table does not fit such a grid or has no such head.
Matrix bias_picture(const MatrixView& table, int rows, int cols, Index head);

// The middle row and the middle column of the image: offsets from −(n − 1) to n − 1.
struct BiasProfile {
    std::vector<double> along_row, down_column;
};
BiasProfile bias_profile(const MatrixView& picture);

// Statistics of one head's bias over all pairs of patches, [P, P]. Sums in double.
struct BiasProperties {
    float low = 0, high = 0;
    double deviation = 0;      // standard deviation over all pairs
    double offset_spread = 0;  // largest difference between pairs of equal offset
    double asymmetry = 0;      // largest difference between a pair and its reverse
    // Pearson correlation with the Euclidean distance of the two patches, each pair counted once;
    // NaN if one of them is constant.
    double with_distance = 0;
    double beside = 0, above = 0;  // means over adjacent patches: left and right, above and below
};
BiasProperties bias_properties(const MatrixView& pairs, int rows, int cols);

// Standard deviation of the scaled products of all pairs of patches, to compare the bias with.
double deviation_of(const MatrixView& pairs);

// The attention weights without the bias: softmax of the scaled and masked products, as one head's
// row [1, M] of the first sample. Empty if the trace has no bias or no scaled products, or does not
// use softmax.
Matrix attention_without_bias(const Trace& trace, Index head, Index query);

}  // namespace headlight
