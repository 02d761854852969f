#pragma once

#include <memory>

#include "kernels/matrix.h"
#include "kernels/stop.h"

// Matrix products: the only interface between the engine and the libraries that compute them. Eigen
// is always available; oneDNN, if built in, computes the products for which it is faster. In
// WebAssembly, kernels/tiled.h does.
namespace headlight {

enum class ProductBackend { automatic, eigen, onednn, tiled };

// Sends every product to one backend, for tests and benchmarks; the default is automatic. Throws
// std::invalid_argument for oneDNN in a build without it.
void set_product_backend(ProductBackend backend);
bool built_with_onednn();

// The library that `automatic` chooses for a product of [rows, depth] by [depth, cols].
ProductBackend best_backend(Index rows, Index cols, Index depth);

// Both functions run on the caller's thread and are meant for blocks of a larger product. `out`
// must have its final shape and overlap no operand; its old content is overwritten. Depth 0 gives
// zeros. The order of the float sums depends only on the shape and the library, not on the
// addresses of the operands.

// out [rows, cols] = left [rows, depth] · right [depth, cols]
void multiply(const MatrixView& left, const MatrixView& right, const MatrixSpan& out);
// out [rows, cols] = left [rows, depth] · right [cols, depth]ᵀ
void multiply_transposed(const MatrixView& left, const MatrixView& right, const MatrixSpan& out);

// For statistics of matrices, where float is not precise enough.
using WideMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// multiply_transposed in double.
void multiply_transposed(const Eigen::Ref<const WideMatrix>& left,
                         const Eigen::Ref<const WideMatrix>& right, WideMatrix& out);

// A weight [outputs, inputs] in a library's own layout. It saves apply_linear the rearranging; see
// packed.h.
struct PackedWeight {
    Index outputs, inputs;
    std::shared_ptr<const void> content;
    // True if a row of a product has the same bits, however many rows are computed together. Few
    // threads then compute few large blocks, because each block reads the whole weight.
    bool rows_are_independent;
};
// Null if packing makes no library faster. Throws std::bad_alloc.
std::shared_ptr<const PackedWeight> pack_weight(const MatrixView& weight);

// out [rows, outputs] = x [rows, inputs] · weight [outputs, inputs]ᵀ + bias, as torch.nn.Linear.
// bias: `outputs` floats, or null. packed: the same weight, or null; it changes no bit of the
// result. Runs on all threads; throws Stopped on a stop request.
void apply_linear(const MatrixView& x, const MatrixView& weight, const float* bias,
                  const MatrixSpan& out, const StopFlag& stop = {},
                  const PackedWeight* packed = nullptr);

}  // namespace headlight
