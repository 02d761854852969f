#include "analysis/blocked_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {

namespace {

float lowered(Blocking how, float score) {
    switch (how) {
        case Blocking::minus_100:
            return score - 100;
        case Blocking::minus_9e15:
            return -9e15F;
        case Blocking::minus_infinity:
            break;
    }
    return -std::numeric_limits<float>::infinity();
}

}  // namespace

BlockedWeights weights_blocked_by(Blocking how, std::span<const float> scores,
                                  std::span<const std::uint8_t> blocked) {
    BlockedWeights row;
    row.weights.assign(scores.begin(), scores.end());
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (blocked[i] != 0) row.weights[i] = lowered(how, scores[i]);
    const float largest = std::ranges::max(row.weights);
    // −∞ − (−∞) is NaN; a fully masked row is not treated specially.
    double total = 0;
    for (float& weight : row.weights) total += weight = std::exp(weight - largest);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        row.weights[i] = static_cast<float>(row.weights[i] / total);
        row.sum += row.weights[i];
        if (blocked[i] != 0) row.to_blocked += row.weights[i];
    }
    return row;
}

}  // namespace headlight
