#pragma once

#include "kernels/matrix.h"

// Products by vectors of four floats, for WebAssembly. Its vectors have 128 bits and no fused
// multiply-add, and Eigen's kernel there keeps only four sums at a time.
namespace headlight::tiled {

// out = left · right, or left · rightᵀ, + bias (a row, or null). Runs on the caller's thread; no
// operand may be empty.
void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out);

}  // namespace headlight::tiled
