#include "reference/deviation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace headlight {

namespace {

// 0 for equal numbers, including two NaNs.
double apart(float a, float b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    const double difference = std::abs(static_cast<double>(a) - b);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

// If only zeros are expected, any error gives infinity.
double over(double error, double size) { return error == 0 ? 0 : error / size; }

}  // namespace

void DeviationSum::add(std::span<const float> found, std::span<const float> expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference = apart(found[i], expected[i]);
        largest_ = std::max(largest_, difference);
        squares_ += difference * difference;
        if (!std::isfinite(expected[i])) continue;
        const double own = expected[i];
        reach_ = std::max(reach_, std::abs(own));
        own_squares_ += own * own;
    }
}

Deviation DeviationSum::deviation() const {
    return {largest_, over(largest_, reach_), over(std::sqrt(squares_), std::sqrt(own_squares_))};
}

}  // namespace headlight
