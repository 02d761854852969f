#pragma once

#include <cmath>

#include "kernels/exp.h"

// The curves of activations and their slopes, one number at a time, for loops over many.
namespace headlight::curves {

// Below, no function has a branch or a call, so that the compiler computes many numbers at once.
// A bare comparison would take a NaN for a number; each leaves it in the product at its end.

// σ(x) = 1 / (1 + exp(−x))
inline float sigmoid(float x) {
    const float e = exp_of_nonpositive(-std::abs(x));
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

// Φ(−a) for a >= 0 within 2e-7 of itself, and of what rounding a²/2 makes of its exponential.
// Φ(−a) = exp(−a²/2) · R(a), and R falls smoothly from 1/2 as 1 / (a √(2π)): a polynomial in
// t = 1 / (1 + 0.3 a) without a constant term, fitted for the least relative error, 3.5e-9.
inline float normal_tail(float a) {
    const float t = 1.0F / (1.0F + 0.3F * a);
    float p = -2.061274972e-2F;
    p = p * t + 1.123753774e-1F;
    p = p * t - 2.280666453e-1F;
    p = p * t + 1.915806357e-1F;
    p = p * t - 7.924654172e-2F;
    p = p * t + 9.605744533e-2F;
    p = p * t + 7.842569713e-2F;
    p = p * t + 1.102273020e-1F;
    p = p * t + 1.195728435e-1F;
    p = p * t + 1.196866340e-1F;
    return exp_of_nonpositive(-0.5F * a * a) * (p * t);
}

inline float gelu(float x) {
    const float tail = normal_tail(std::abs(x));
    return x * (x < 0.0F ? tail : 1.0F - tail);
}

inline float gelu_tanh(float x) {
    // (1 + tanh u) / 2 = σ(2u), which also keeps the digits of small results.
    constexpr float kTwiceRoot = 1.5957691216F;  // 2 √(2/π)
    return x * sigmoid(kTwiceRoot * (x + 0.044715F * (x * x * x)));
}

inline float quick_gelu(float x) { return x * sigmoid(1.702F * x); }

inline float silu(float x) { return x * sigmoid(x); }

inline float relu(float x) { return x < 0.0F ? 0.0F : x; }

// dy/dx of each of them.

// σ(x) (1 − σ(x)), without the digits that the difference would lose.
inline float sigmoid_slope(float x) {
    const float e = exp_of_nonpositive(-std::abs(x));
    return e / ((1.0F + e) * (1.0F + e));
}

inline float gelu_slope(float x) {
    constexpr float kHeight = 0.3989422804F;  // of the normal density: 1 / √(2π)
    const float tail = normal_tail(std::abs(x));
    return (x < 0.0F ? tail : 1.0F - tail) + x * (kHeight * exp_of_nonpositive(-0.5F * x * x));
}

inline float gelu_tanh_slope(float x) {
    constexpr float kTwiceRoot = 1.5957691216F;  // 2 √(2/π)
    const float u = kTwiceRoot * (x + 0.044715F * (x * x * x));
    return sigmoid(u) + x * sigmoid_slope(u) * (kTwiceRoot * (1.0F + 3.0F * 0.044715F * x * x));
}

inline float quick_gelu_slope(float x) {
    return sigmoid(1.702F * x) + 1.702F * x * sigmoid_slope(1.702F * x);
}

inline float silu_slope(float x) { return sigmoid(x) + x * sigmoid_slope(x); }

// 0 at the corner, as PyTorch has it.
inline float relu_slope(float x) { return x > 0.0F ? 1.0F : 0.0F; }

}  // namespace headlight::curves
