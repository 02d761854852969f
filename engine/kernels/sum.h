#pragma once

#include <array>
#include <cstddef>

#include "kernels/matrix.h"

namespace headlight {

// lanes[0] + … + lanes[kLanes − 1], halving their number until one is left.
template <std::size_t kLanes>
inline double total_of(const std::array<double, kLanes>& lanes) {
    if constexpr (kLanes == 1) {
        return lanes[0];
    } else {
        std::array<double, kLanes / 2> half;
        for (std::size_t i = 0; i < half.size(); ++i) half[i] = lanes[i] + lanes[i + half.size()];
        return total_of(half);
    }
}

// Σ term(i) in double for i in [0, count). Uses several partial sums, which the compiler keeps in
// vector registers. The order of summation depends only on the count.
template <class Term>
double sum_of(Index count, const Term& term) {
    constexpr std::size_t kLanes = 16;
    std::array<double, kLanes> lanes{};
    Index i = 0;
    for (; i + Index{kLanes} <= count; i += Index{kLanes})
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] += static_cast<double>(term(i + static_cast<Index>(lane)));
    double total = total_of(lanes);
    for (; i < count; ++i) total += static_cast<double>(term(i));
    return total;
}

}  // namespace headlight
