#pragma once

#include <optional>
#include <vector>

#include "trace/trace.h"

namespace headlight {

// How much noise remains when the tokens of a layer are windows of a curve. A window stands for its
// middle sample, so index i below is sample first + i of the curve.
struct Denoising {
    Index first = 0;              // window / 2
    std::vector<float> attended;  // the middle numbers of the layer's output; empty if it has no
                                  // windows of that width
    std::vector<float> average;   // mean of each window: the moving average of the same width
    // Root mean squared difference to the clean curve, over those samples.
    double noisy_error = 0, attended_error = 0, average_error = 0;
};

// Nothing if the trace's tokens are not windows of a curve.
std::optional<Denoising> denoising_of(const Trace& trace);

}  // namespace headlight
