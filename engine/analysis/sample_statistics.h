#pragma once

#include <span>

#include "kernels/matrix.h"

namespace headlight {

// What a few numbers come to, so that one of them can be placed among them. Sums in double; what is
// no finite number is left out.
struct SampleStatistics {
    Index count = 0;
    double mean = 0;
    double deviation = 0;  // of a sample: squares over count − 1; 0 of fewer than two
    double least = 0, most = 0;
};
SampleStatistics sample_statistics(std::span<const double> values);

}  // namespace headlight
