#pragma once

#include "kernels/matrix.h"

// oneDNN's side of kernels/product.h, which alone calls it. Without the library at build time,
// `usable` is false and nothing else may be called.
namespace headlight::onednn {

bool built_in();
// Built in, and the processor has the instructions (AVX2 at least) that its speed was measured
// with.
bool usable();

// out = left · right, or left · rightᵀ, + bias (a row, or null). On the caller's thread alone;
// nothing empty.
void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out);

}  // namespace headlight::onednn
