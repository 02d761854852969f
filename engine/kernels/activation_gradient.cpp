#include "kernels/activation_gradient.h"

#include "kernels/curves.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"

namespace headlight {

namespace {

template <float (*slope)(float)>
void alone(const float* x, const float* g, float* out, Index cols) {
    for (Index i = 0; i < cols; ++i) out[i] = g[i] * slope(x[i]);
}

// Gradient of curve(x₁) · x₂: slope(x₁) · x₂ for x₁, curve(x₁) for x₂.
template <float (*curve)(float), float (*slope)(float)>
void gated(const float* x, const float* g, float* out, Index half) {
    for (Index i = 0; i < half; ++i) out[i] = g[i] * slope(x[i]) * x[half + i];
    for (Index i = 0; i < half; ++i) out[half + i] = g[i] * curve(x[i]);
}

template <float (*curve)(float), float (*slope)(float)>
Matrix pulled_back(const MatrixView& hidden, const MatrixView& gradient, bool gate) {
    Matrix out = new_matrix(hidden.rows, hidden.cols);
    parallel_cells(hidden.rows, hidden.cols, [&](Index first, Index rows) {
        for (Index r = first; r < first + rows; ++r)
            if (gate)
                gated<curve, slope>(hidden.row(r), gradient.row(r), out.row(r).data(),
                                    gradient.cols);
            else
                alone<slope>(hidden.row(r), gradient.row(r), out.row(r).data(), hidden.cols);
    });
    return out;
}

}  // namespace

Matrix activation_gradient(const MatrixView& hidden, const MatrixView& gradient,
                           Activation activation) {
    using namespace curves;
    const bool gate = is_gated(activation);
    switch (curve_of(activation)) {
        case Activation::gelu:
            return pulled_back<gelu, gelu_slope>(hidden, gradient, gate);
        case Activation::gelu_tanh:
            return pulled_back<gelu_tanh, gelu_tanh_slope>(hidden, gradient, gate);
        case Activation::quick_gelu:
            return pulled_back<quick_gelu, quick_gelu_slope>(hidden, gradient, gate);
        case Activation::relu:
            return pulled_back<relu, relu_slope>(hidden, gradient, gate);
        default:
            return pulled_back<silu, silu_slope>(hidden, gradient, gate);
    }
}

}  // namespace headlight
