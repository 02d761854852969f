#pragma once

#include <memory>

#include "kernels/matrix.h"
#include "kernels/stop.h"

// Matrix products: the one place where the engine meets a library for them. Eigen computes them
// everywhere; oneDNN, where the program was built with it, computes those that it is faster at.
namespace headlight {

enum class ProductBackend { automatic, eigen, onednn };

// Makes every product go to one library, for tests and benchmarks; automatic unless set. Throws
// std::invalid_argument for oneDNN in a program built without it.
void set_product_backend(ProductBackend backend);
bool built_with_onednn();

// Who computes a product of [rows, depth] by [depth, cols] when the choice is automatic.
ProductBackend best_backend(Index rows, Index cols, Index depth);

// Both compute on the caller's thread alone and are meant for the blocks of something larger. `out`
// has its final shape and overlaps no operand; what it held is overwritten. Depth 0 gives zeros.
// Float sums in an order that depends on the shape and the library only, not on where the operands
// lie.

// out [rows, cols] = left [rows, depth] · right [depth, cols]
void multiply(const MatrixView& left, const MatrixView& right, const MatrixSpan& out);
// out [rows, cols] = left [rows, depth] · right [cols, depth]ᵀ
void multiply_transposed(const MatrixView& left, const MatrixView& right, const MatrixSpan& out);

// For numbers about matrices, where float is not exact enough.
using WideMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
// The second of them in double.
void multiply_transposed(const Eigen::Ref<const WideMatrix>& left,
                         const Eigen::Ref<const WideMatrix>& right, WideMatrix& out);

// A weight [outputs, inputs] in a library's own order, which apply_linear rearranges it into
// otherwise: packed.h.
struct PackedWeight {
    Index outputs, inputs;
    std::shared_ptr<const void> content;
};
// Null where no library would be faster with it. Throws std::bad_alloc.
std::shared_ptr<const PackedWeight> pack_weight(const MatrixView& weight);

// out [rows, outputs] = x [rows, inputs] · weight [outputs, inputs]ᵀ + bias, as torch.nn.Linear.
// bias: `outputs` floats, or null. packed: the same weight, or null; it changes no bit. On all
// threads; throws Stopped when told to stop.
void apply_linear(const MatrixView& x, const MatrixView& weight, const float* bias,
                  const MatrixSpan& out, const StopFlag& stop = {},
                  const PackedWeight* packed = nullptr);

}  // namespace headlight
