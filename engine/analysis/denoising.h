#pragma once

#include <optional>
#include <vector>

#include "trace/trace.h"

namespace headlight {

// What is left of the noise of a curve whose windows were a layer's tokens. A window speaks for the
// sample in its middle, so sample i of what follows is sample first + i of the curve.
struct Denoising {
    Index first = 0;              // window / 2
    std::vector<float> attended;  // the middle numbers of the layer's output; empty where its
                                  // tokens are no windows of that width
    std::vector<float> average;   // of each window: the moving average of the same width
    // Roots of the mean squared difference to the clean curve, over those samples.
    double noisy_error = 0, attended_error = 0, average_error = 0;
};

// Nothing where the trace's tokens are no windows of a curve.
std::optional<Denoising> denoising_of(const Trace& trace);

}  // namespace headlight
