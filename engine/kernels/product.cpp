#include "kernels/product.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "kernels/onednn.h"
#include "kernels/parallel.h"
#include "kernels/random.h"
#include "kernels/tiled.h"

namespace headlight {

namespace {

std::atomic<ProductBackend> chosen_backend{ProductBackend::automatic};

template <class Right>
void multiply_with_eigen(const MatrixView& left, const Right& right, const float* bias,
                         const MatrixSpan& out) {
    auto result = out.eigen();
    result.noalias() = left.eigen() * right;
    if (bias != nullptr) result.rowwise() += Eigen::Map<const Vector>(bias, out.cols);
}

// The library for a product of these sizes, and for all blocks of it.
ProductBackend backend_for(Index rows, Index cols, Index depth) {
    const ProductBackend chosen = chosen_backend.load(std::memory_order_relaxed);
    return chosen == ProductBackend::automatic ? best_backend(rows, cols, depth) : chosen;
}

void multiply_block(ProductBackend backend, const MatrixView& left, const MatrixView& right,
                    bool transposed, const float* bias, const MatrixSpan& out) {
    if (out.empty()) return;
    if (backend == ProductBackend::onednn && left.cols != 0)
        onednn::multiply(left, right, transposed, bias, out);
    else if (backend == ProductBackend::tiled && left.cols != 0)
        tiled::multiply(left, right, transposed, bias, out);
    else if (transposed)
        multiply_with_eigen(left, right.eigen().transpose(), bias, out);
    else
        multiply_with_eigen(left, right.eigen(), bias, out);
}

// How a product is split into blocks for several threads.
struct Grid {
    Index rows, cols;  // of a block; the last blocks may be smaller
};

constexpr Index kMostRows = 256;  // of a block whose height depends on the number of threads

// The grid with the shortest estimated time. The estimate for a block has four parts: its
// multiplications; rearranging the right operand, which costs as much as kRearranging more rows;
// copying a result narrower than the whole one, at kCopying multiplications per cell; and waking a
// thread.
// The order of a cell's sum depends on the size of its block (oneDNN with AVX2 treats the last
// columns differently). So the grid is the same for any number of threads, unless rows are known to
// be independent.
Grid best_grid(Index rows, Index cols, Index depth, const PackedWeight* packed) {
    constexpr Index kWorkers = 8;
    const bool independent = packed != nullptr && packed->rows_are_independent;
    const Index workers = independent ? std::min<Index>(kWorkers, threads()) : kWorkers;
    const Index kRearranging = packed != nullptr ? 0 : 8;
    constexpr Index kCopying = 32, kWaking = Index{1} << 16U;
    constexpr Index kFewestRows = 32, kFewestCols = 64, kColsStep = 16;
    constexpr Index kMostWork = Index{1} << 29U;  // some ms, so that a stop request takes effect
                                                  // soon

    Grid best{rows, cols};
    Index best_time = std::numeric_limits<Index>::max();
    const Index most_row_cuts = std::max<Index>(1, rows / kFewestRows);
    const Index most_col_cuts = packed != nullptr ? 1 : std::max<Index>(1, cols / kFewestCols);
    for (Index row_cuts = 1; row_cuts <= most_row_cuts; ++row_cuts)
        for (Index col_cuts = 1; col_cuts <= most_col_cuts; ++col_cuts) {
            const Grid grid{ceil_div(rows, row_cuts),
                            ceil_div(ceil_div(cols, col_cuts), kColsStep) * kColsStep};
            const Index blocks = ceil_div(rows, grid.rows) * ceil_div(cols, grid.cols);
            const bool smallest = row_cuts == most_row_cuts && col_cuts == most_col_cuts;
            const bool too_large =
                grid.rows * grid.cols * depth > kMostWork || (independent && grid.rows > kMostRows);
            if (too_large && !smallest) continue;
            const Index copying = col_cuts > 1 ? grid.rows * kCopying : 0;
            const Index block_time =
                ((grid.rows + kRearranging) * depth + copying) * grid.cols + kWaking;
            const Index time = ceil_div(blocks, workers) * block_time;
            if (time < best_time) {
                best_time = time;
                best = grid;
            }
        }
    return best;
}

// Computes a product with a packed weight in blocks of `height` rows. False if that is impossible.
bool multiply_in_blocks(const MatrixView& x, const void* packed, Index height, const Vector& bias,
                        const MatrixSpan& out) {
    for (Index row = 0; row < x.rows; row += height) {
        const Index rows = std::min(height, x.rows - row);
        if (!onednn::multiply_packed(x.block(row, 0, rows, x.cols), packed, bias.data(),
                                     out.block(row, 0, rows, out.cols)))
            return false;
    }
    return true;
}

void fill(Matrix& matrix, SplitMix& random) {
    for (float& number : matrix.reshaped()) number = static_cast<float>(random.between(-1, 1));
}

// True if blocks of different heights give the same bits. oneDNN does not promise that, so it is
// tried with random numbers, once for each size of weight.
bool are_rows_independent(Index outputs, Index inputs) {
    static std::mutex guard;
    static std::map<std::pair<Index, Index>, bool> known;
    const std::scoped_lock lock(guard);
    const auto [entry, is_new] = known.try_emplace({outputs, inputs}, false);
    if (!is_new) return entry->second;
    Matrix weight(outputs, inputs), x(kMostRows, inputs);
    SplitMix random(1);
    fill(weight, random);
    fill(x, random);
    const Vector bias = Vector::Ones(outputs);
    const auto packed = onednn::pack(weight);
    Matrix whole(kMostRows, outputs), parts(kMostRows, outputs);
    bool agree = packed && multiply_in_blocks(x, packed.get(), kMostRows, bias, whole);
    for (const Index height : {Index{33}, Index{99}})
        agree = agree && multiply_in_blocks(x, packed.get(), height, bias, parts) && parts == whole;
    return entry->second = agree;
}

}  // namespace

void set_product_backend(ProductBackend backend) {
    if (backend == ProductBackend::onednn && !built_with_onednn())
        throw std::invalid_argument("this program was built without oneDNN");
    chosen_backend = backend;
}

bool built_with_onednn() { return onednn::built_in(); }

ProductBackend best_backend(Index rows, Index cols, Index depth) {
    // Measured with tests/bench/product_bench.cpp, filter `small`, on a Zen 4. From 2^16
    // multiplications on, oneDNN is 1.05 to 1.4 times as fast. Below that, and for four columns,
    // both are equally fast. For a vector, Eigen is up to seven times as fast. With AVX2 alone,
    // oneDNN is still never slower.
    constexpr Index kFewestRows = 2, kFewestCols = 8;
    constexpr Index kLeastWork = Index{1} << 16U;
    const bool large =
        rows >= kFewestRows && cols >= kFewestCols && rows * cols * depth >= kLeastWork;
    if (!large) return ProductBackend::eigen;
#ifdef __wasm__
    return ProductBackend::tiled;
#else
    return onednn::usable() ? ProductBackend::onednn : ProductBackend::eigen;
#endif
}

void multiply(const MatrixView& left, const MatrixView& right, const MatrixSpan& out) {
    multiply_block(backend_for(out.rows, out.cols, left.cols), left, right, false, nullptr, out);
}

void multiply_transposed(const MatrixView& left, const MatrixView& right, const MatrixSpan& out) {
    multiply_block(backend_for(out.rows, out.cols, left.cols), left, right, true, nullptr, out);
}

void multiply_transposed(const Eigen::Ref<const WideMatrix>& left,
                         const Eigen::Ref<const WideMatrix>& right, WideMatrix& out) {
    out.resize(left.rows(), right.rows());
    out.noalias() = left * right.transpose();
}

std::shared_ptr<const PackedWeight> pack_weight(const MatrixView& weight) {
    if (!onednn::usable() || weight.empty()) return nullptr;
    auto content = onednn::pack(weight);
    if (!content) return nullptr;
    const bool independent = are_rows_independent(weight.rows, weight.cols);
    return std::make_shared<const PackedWeight>(
        PackedWeight{weight.rows, weight.cols, std::move(content), independent});
}

void apply_linear(const MatrixView& x, const MatrixView& weight, const float* bias,
                  const MatrixSpan& out, const StopFlag& stop, const PackedWeight* packed) {
    if (out.empty()) return;
    const ProductBackend backend = backend_for(out.rows, out.cols, x.cols);
    if (backend != ProductBackend::onednn) packed = nullptr;
    const Grid grid = best_grid(out.rows, out.cols, x.cols, packed);
    const Index down = ceil_div(out.rows, grid.rows), across = ceil_div(out.cols, grid.cols);
    parallel_for(down * across, [&](Index i) {
        throw_if_stopped(stop);
        // Rows first: threads that work on the same weights at the same time read them only once.
        const Index row = i % down * grid.rows, col = i / down * grid.cols;
        const Index rows = std::min(grid.rows, out.rows - row);
        const Index cols = std::min(grid.cols, out.cols - col);
        if (packed != nullptr &&
            onednn::multiply_packed(x.block(row, 0, rows, x.cols), packed->content.get(), bias,
                                    out.block(row, 0, rows, cols)))
            return;
        multiply_block(backend, x.block(row, 0, rows, x.cols),
                       weight.block(col, 0, cols, weight.cols), true,
                       bias != nullptr ? bias + col : nullptr, out.block(row, col, rows, cols));
    });
}

}  // namespace headlight
