#pragma once

#include <span>

#include "kernels/matrix.h"

namespace headlight {

// Statistics of a small sample, to compare one of its values with the others. Sums in double;
// values that are not finite are ignored.
struct SampleStatistics {
    Index count = 0;
    double mean = 0;
    double deviation = 0;  // sample standard deviation (divides by count − 1); 0 for fewer than two
                           // values
    double least = 0, most = 0;
};
SampleStatistics sample_statistics(std::span<const double> values);

}  // namespace headlight
