#include "reference/deviation.h"

#include <algorithm>
#include <cmath>
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

std::optional<Mismatch> first_mismatch(std::span<const float> found,
                                       std::span<const float> expected) {
    std::optional<Mismatch> first;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const float a = found[i], b = expected[i];
        if ((std::isfinite(a) && std::isfinite(b)) || a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!first) first = Mismatch{i, a, b, 0};
        ++first->count;
    }
    return first;
}

}  // namespace headlight
