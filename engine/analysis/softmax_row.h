#pragma once

#include <span>
#include <vector>

#include "kernels/matrix.h"

// One row of scores by itself: its softmax at a temperature, and the hard choice that it tends to.
namespace headlight {

struct SoftmaxRow {
    std::vector<float> weights;  // softmax(scores / temperature), bit for bit the layer's at 1
    std::vector<float> hard;     // 1 for the largest score, the first of equal ones; else 0
    Index largest = -1;          // which that is; -1: every score is −∞
    double entropy = 0;          // of the weights, in bits
};

// scores [N], N >= 1; −∞ stands for a masked key, and a row of nothing else has weights 0.
// temperature > 0.
SoftmaxRow softmax_row(std::span<const float> scores, float temperature);

// The `most` largest of N scores, in the order of the row; all of them where N <= most.
std::vector<Index> largest_scores(std::span<const float> scores, Index most);

}  // namespace headlight
