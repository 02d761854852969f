#include "kernels/activation.h"

#include <cmath>

#include "kernels/exp.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {

namespace {

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

// Calls row(in, out) for each row on all threads; `cols` is the result's width.
template <class Row>
Matrix for_rows(const MatrixView& hidden, Index cols, const Row& row) {
    Matrix out = new_matrix(hidden.rows, cols);
    parallel_cells(hidden.rows, hidden.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r) row(hidden.row(r), out.row(r).data());
    });
    return out;
}

template <float (*function)(float)>
Matrix each(const MatrixView& hidden) {
    const Index cols = hidden.cols;
    return for_rows(hidden, cols, [cols](const float* in, float* out) {
        for (Index i = 0; i < cols; ++i) out[i] = function(in[i]);
    });
}

template <float (*function)(float)>
Matrix gated(const MatrixView& hidden) {
    const Index cols = hidden.cols / 2;
    return for_rows(hidden, cols, [cols](const float* in, float* out) {
        for (Index i = 0; i < cols; ++i) out[i] = function(in[i]) * in[cols + i];
    });
}

template <float (*function)(float)>
Matrix each_or_gated(const MatrixView& hidden, bool gate) {
    return gate ? gated<function>(hidden) : each<function>(hidden);
}

}  // namespace

Matrix activate(const MatrixView& hidden, Activation activation) {
    const bool gate = is_gated(activation);
    switch (curve_of(activation)) {
        case Activation::gelu:
            return each_or_gated<gelu>(hidden, gate);
        case Activation::gelu_tanh:
            return each_or_gated<gelu_tanh>(hidden, gate);
        case Activation::quick_gelu:
            return each_or_gated<quick_gelu>(hidden, gate);
        case Activation::relu:
            return each_or_gated<relu>(hidden, gate);
        default:
            return each_or_gated<silu>(hidden, gate);
    }
}

}  // namespace headlight
