#pragma once

#include <span>
#include <vector>

#include "kernels/matrix.h"

// One row of scores: its softmax at a temperature, and the one-hot limit for temperature → 0.
namespace headlight {

struct SoftmaxRow {
    std::vector<float> weights;  // softmax(scores / temperature); at 1, bit for bit the layer's
    std::vector<float> hard;     // 1 for the largest score, the first of equal ones; else 0
    Index largest = -1;          // index of the largest score; -1: every score is −∞
    double entropy = 0;          // of the weights, in bits
};

// scores [N], N >= 1; −∞ marks a masked key, and a fully masked row has weights 0. temperature > 0.
SoftmaxRow softmax_row(std::span<const float> scores, float temperature);

// Indices of the `most` largest of N scores, in the order of the row; all of them if N <= most.
std::vector<Index> largest_scores(std::span<const float> scores, Index most);

}  // namespace headlight
