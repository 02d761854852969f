#include "frame/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headlight::screens {

std::string percent_text(double probability) {
    if (std::isnan(probability)) return "NaN";
    const double percent = 100 * probability;
    if (percent > 0 && percent < 0.005) return "< 0.01 %";
    if (percent < 100 && percent >= 99.995) return "> 99.99 %";
    return fmt::format("{:.2f} %", percent);
}

double bar_reach(std::span<const Prediction> list) {
    constexpr double least = 1e-4;
    double largest = 0;
    for (const Prediction& p : list) largest = std::max(largest, p.probability);  // ignores NaN
    double reach = 1;
    while (largest > 0 && largest <= reach / 10 && reach > least) reach /= 10;
    return reach;
}

std::string bar_reach_text(double reach) {
    return reach < 1 ? fmt::format("full bar: {:g} %", 100 * reach) : "";
}

}  // namespace headlight::screens
