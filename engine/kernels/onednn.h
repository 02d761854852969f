#pragma once

#include <memory>

#include "kernels/matrix.h"

// The oneDNN backend of kernels/product.h, which is its only caller. In a build without the
// library, `usable` is false and nothing else may be called.
namespace headlight::onednn {

bool built_in();
// True if it is built in and the processor has AVX2 or better, for which its speed was measured.
bool usable();

// out = left · right, or left · rightᵀ, + bias (a row, or null). Runs on the caller's thread; no
// operand may be empty.
void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out);

// Rearranges a right operand [cols, depth] for multiply_packed, in the layout that oneDNN otherwise
// copies it into for each product. Null if oneDNN does not copy it.
std::shared_ptr<const void> pack(const MatrixView& right);
// out = left · rightᵀ + bias, with `right` from pack(); bit for bit equal to multiply(). Returns
// false and does nothing if oneDNN has no such product.
bool multiply_packed(const MatrixView& left, const void* right, const float* bias,
                     const MatrixSpan& out);

}  // namespace headlight::onednn
