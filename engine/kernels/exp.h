#pragma once

#include <bit>
#include <cstdint>

namespace headlight {

// exp(x) for x <= 0 within 2 units in the last place. Exactly 0 below the smallest normal float, so
// also for −inf; NaN for NaN. Eigen's exp is as fast, but on some machines it gives blocked keys
// 3e-39 of the attention. No branches and no calls, so that the compiler can vectorize loops.
//
// exp(x) = 2^n · exp(r) with n the integer nearest to x / ln 2, so |r| <= ln 2 / 2.
inline float exp_of_nonpositive(float x) {
    constexpr float kSmallest = -87.33654F;       // ln of the smallest normal float
    constexpr float kShift = 0x1.8p23F + 127.0F;  // adding it rounds to an integer, kept in the
                                                  // lowest bits
    constexpr float kLn2High = 0.693359375F;      // few digits, so that n times this is exact
    constexpr float kLn2Low = -2.12194440e-4F;    // ln 2 − kLn2High

    const float bounded = x < kSmallest ? kSmallest : x;
    const float shifted = bounded * 1.44269504F + kShift;
    const float n = shifted - kShift;
    const float r = (bounded - n * kLn2High) - n * kLn2Low;
    // The Taylor series with slightly adjusted coefficients, which spread the error evenly over the
    // range (from expf of the Cephes library).
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * (r * r) + r + 1.0F;
    // The lowest bits of `shifted` hold n + 127. Shifted up, they become the exponent of 2^n.
    const float power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23U);
    return x < kSmallest ? 0.0F : p * power;
}

}  // namespace headlight
