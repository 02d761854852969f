#pragma once

#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

// What stands between the two products of an MLP. x is a number of the hidden row.
enum class Activation {
    gelu,       // x · Φ(x), Φ by erf: "Gaussian Error Linear Units", arXiv 1606.08415, section 2
    gelu_tanh,  // the same paper's approximation: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))
    quick_gelu,  // x · σ(1.702 x), the same paper; CLIP's
    silu,        // x · σ(x), also called swish
    relu,        // max(x, 0)
    swiglu,  // silu(x₁) · x₂ with x₁ the left half of the hidden row and x₂ its right half:
             // "GLU Variants Improve Transformer", arXiv 2002.05202
};
template <>
inline constexpr auto kNames<Activation> =
    std::to_array<std::string_view>({"gelu", "gelu_tanh", "quick_gelu", "silu", "relu", "swiglu"});

// Row by row; swiglu gives half as many columns as it reads. A NaN stays a NaN.
Matrix activate(const MatrixView& hidden, Activation activation);

}  // namespace headlight
