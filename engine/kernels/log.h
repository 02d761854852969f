#pragma once

#include <bit>
#include <cstdint>

namespace headlight {

// ln x for a normal x > 0, with an error of at most 1e-7 · max(1, |ln x|). For 0 and subnormal x
// the result is finite, so that x · ln x is practically 0. No branches and no calls, so that the
// compiler can vectorize loops.
//
// ln x = n · ln 2 + ln(1 + z) with 1 + z between √½ and √2.
inline float log_of_normal(float x) {
    constexpr std::uint32_t kRootHalf = 0x3F3504F3;  // the bits of √½
    constexpr std::uint32_t kFraction = 0x007FFFFF;  // mantissa bits of a float
    constexpr float kLn2High = 0.693359375F;         // few digits, so that n times this is exact
    constexpr float kLn2Low = -2.12194440e-4F;       // ln 2 − kLn2High

    const std::uint32_t above = std::bit_cast<std::uint32_t>(x) - kRootHalf;
    const auto n = static_cast<float>(static_cast<std::int32_t>(above) >> 23);
    const float z = std::bit_cast<float>((above & kFraction) + kRootHalf) - 1.0F;
    // (ln(1 + z) − z + z²/2) / z³, with the coefficients of logf of the Cephes library.
    float p = 7.0376836292e-2F;
    p = p * z - 1.1514610310e-1F;
    p = p * z + 1.1676998740e-1F;
    p = p * z - 1.2420140846e-1F;
    p = p * z + 1.4249322787e-1F;
    p = p * z - 1.6668057665e-1F;
    p = p * z + 2.0000714765e-1F;
    p = p * z - 2.4999993993e-1F;
    p = p * z + 3.3333331174e-1F;
    const float square = z * z;
    return n * kLn2High + (z + (square * z * p + n * kLn2Low - 0.5F * square));
}

}  // namespace headlight
