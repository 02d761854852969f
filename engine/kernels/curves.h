#pragma once

#include <cmath>

#include "kernels/exp.h"

// The activation curves and their derivatives, for one number at a time, to be called in loops.
namespace headlight::curves {

// The functions below have no branches and no calls, so that the compiler can vectorize the loops.
// A comparison alone would turn a NaN into a number, so each function keeps it in its final
// product.

// σ(x) = 1 / (1 + exp(−x))
inline float sigmoid(float x) {
    const float e = exp_of_nonpositive(-std::abs(x));
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

// Φ(−a) for a >= 0, with a relative error of 2e-7 plus that of rounding a²/2 in the exponential.
// Φ(−a) = exp(−a²/2) · R(a), and R falls smoothly from 1/2 like 1 / (a √(2π)). R is a polynomial in
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
    // (1 + tanh u) / 2 = σ(2u); this form also keeps the digits of small results.
    constexpr float kTwiceRoot = 1.5957691216F;  // 2 √(2/π)
    return x * sigmoid(kTwiceRoot * (x + 0.044715F * (x * x * x)));
}

inline float quick_gelu(float x) { return x * sigmoid(1.702F * x); }

inline float silu(float x) { return x * sigmoid(x); }

inline float relu(float x) { return x < 0.0F ? 0.0F : x; }

// The derivatives dy/dx.

// σ(x) (1 − σ(x)), without the cancellation in 1 − σ(x).
inline float sigmoid_slope(float x) {
    const float e = exp_of_nonpositive(-std::abs(x));
    return e / ((1.0F + e) * (1.0F + e));
}

inline float gelu_slope(float x) {
    constexpr float kHeight = 0.3989422804F;  // maximum of the normal density: 1 / √(2π)
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

// 0 at x = 0, as in PyTorch.
inline float relu_slope(float x) { return x > 0.0F ? 1.0F : 0.0F; }

}  // namespace headlight::curves
