#pragma once

#include "kernels/matrix.h"

namespace headlight {

// Σ term(i) in double for i in [0, count). Uses several partial sums, which the compiler keeps in
// vector registers. The order of summation depends only on the count.
template <class Term>
double sum_of(Index count, const Term& term) {
    constexpr Index kLanes = 16;
    double lanes[kLanes] = {};
    Index i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (Index lane = 0; lane < kLanes; ++lane)
            lanes[lane] += static_cast<double>(term(i + lane));
    for (Index half = kLanes / 2; half > 0; half /= 2)
        for (Index lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    double total = lanes[0];
    for (; i < count; ++i) total += static_cast<double>(term(i));
    return total;
}

}  // namespace headlight
