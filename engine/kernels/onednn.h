#pragma once

#include <memory>

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

// A right operand [cols, depth], to be multiplied transposed, in the order that oneDNN copies it
// into for each product otherwise. Null where it does no such thing.
std::shared_ptr<const void> pack(const MatrixView& right);
// out = left · rightᵀ + bias with what pack() gave, bit for bit multiply()'s. False, and nothing is
// done, where oneDNN has no such product.
bool multiply_packed(const MatrixView& left, const void* right, const float* bias,
                     const MatrixSpan& out);

}  // namespace headlight::onednn
