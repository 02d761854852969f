#pragma once

#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

// The activation between the two linear layers of an MLP. x is a cell of the hidden row.
enum class Activation {
    gelu,       // x · Φ(x), Φ by erf: "Gaussian Error Linear Units", arXiv 1606.08415, section 2
    gelu_tanh,  // the same paper's approximation: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))
    quick_gelu,  // x · σ(1.702 x), the same paper; CLIP's
    silu,        // x · σ(x), also called swish
    relu,        // max(x, 0)
    // Gated: curve(x₁) · x₂ with x₁ the left half of the hidden row and x₂ its right half. "GLU
    // Variants Improve Transformer", arXiv 2002.05202. The curves are those above, in the same
    // order.
    geglu,
    geglu_tanh,
    quick_geglu,
    swiglu,
    reglu,
};
template <>
inline constexpr auto kNames<Activation> =
    std::to_array<std::string_view>({"gelu", "gelu_tanh", "quick_gelu", "silu", "relu", "geglu",
                                     "geglu_tanh", "quick_geglu", "swiglu", "reglu"});

// The activation between the two linear layers of a classification head; none: no activation.
enum class HeadCurve { tanh, relu, gelu, gelu_tanh, quick_gelu, silu, none };
template <>
inline constexpr auto kNames<HeadCurve> = std::to_array<std::string_view>(
    {"tanh", "relu", "gelu", "gelu_tanh", "quick_gelu", "silu", "none"});

constexpr bool is_gated(Activation activation) { return activation >= Activation::geglu; }
// The curve itself; for a gated activation, the curve of its gate.
constexpr Activation curve_of(Activation activation) {
    const int gate = static_cast<int>(Activation::geglu) - static_cast<int>(Activation::gelu);
    return is_gated(activation) ? static_cast<Activation>(static_cast<int>(activation) - gate)
                                : activation;
}
// The gated activation with this curve.
constexpr Activation gated_by(Activation activation) {
    const int gate = static_cast<int>(Activation::geglu) - static_cast<int>(Activation::gelu);
    return is_gated(activation) ? activation
                                : static_cast<Activation>(static_cast<int>(activation) + gate);
}

// Row by row; a gated activation halves the number of columns. A NaN stays a NaN.
Matrix activate(const MatrixView& hidden, Activation activation);

}  // namespace headlight
