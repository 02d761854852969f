#include "analysis/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

SampleStatistics sample_statistics(std::span<const double> values) {
    SampleStatistics found;
    found.least = std::numeric_limits<double>::infinity();
    found.most = -found.least;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        ++found.count;
        found.mean += value;
        found.least = std::min(found.least, value);
        found.most = std::max(found.most, value);
    }
    if (found.count == 0) return {};
    found.mean /= static_cast<double>(found.count);
    double squares = 0;
    for (const double value : values)
        if (std::isfinite(value)) squares += (value - found.mean) * (value - found.mean);
    if (found.count > 1)
        found.deviation = std::sqrt(squares / static_cast<double>(found.count - 1));
    return found;
}

}  // namespace headlight
