#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "trace/trace.h"

// What a relative position bias is like (positions/relative.h). Offsets are those of a key from its
// query: so many rows down and columns to the right.
namespace headlight {

// One head's numbers as a picture, [2·rows − 1, 2·cols − 1]: in the middle the offset 0, above it
// the keys above the query. table [offsets, H] or with three rows more. Throws AnalysisError where
// the table is not that of such a grid, or has no such head.
Matrix bias_picture(const MatrixView& table, int rows, int cols, Index head);

// The picture's middle row and column: offsets from −(n − 1) to n − 1.
struct BiasProfile {
    std::vector<double> along_row, down_column;
};
BiasProfile bias_profile(const MatrixView& picture);

// Measured on the bias of all pairs of patches [P, P] of one head. Sums in double.
struct BiasProperties {
    float low = 0, high = 0;
    double deviation = 0;      // of all pairs
    double offset_spread = 0;  // how much pairs of equal offsets differ at most
    double asymmetry = 0;      // how much a pair differs from the same one the other way at most
    // Pearson's correlation with the Euclidean distance of the two patches, each pair once; NaN
    // where one of both is always the same.
    double with_distance = 0;
    double beside = 0, above = 0;  // means of neighbors: left and right, above and below
};
BiasProperties bias_properties(const MatrixView& pairs, int rows, int cols);

// Deviation of the scaled products of all pairs of patches, for the bias to be held against.
double deviation_of(const MatrixView& pairs);

// What a query would read without the bias: softmax of its scaled products, with what the mask makes
// of them; one head's row [1, M] of the first sample. Empty where the trace adds no bias, keeps no
// scaled products, or weighs otherwise than by softmax.
Matrix attention_without_bias(const Trace& trace, Index head, Index query);

}  // namespace headlight
