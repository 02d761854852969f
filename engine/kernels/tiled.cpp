#include "kernels/tiled.h"

#include <algorithm>
#include <utility>

#include "kernels/recycle.h"

namespace headlight::tiled {

namespace {

using Four = float __attribute__((vector_size(16), may_alias));

// The result is computed in tiles of kRows × 2 vectors. A step over the depth needs the eight sums
// of a tile, its four numbers of the left and its two vectors of the right: 14 registers. An x86
// processor has 16. With larger tiles, V8 moves sums to memory and back in every step.
constexpr Index kRows = 4, kCols = 8;
// Operands are copied in blocks: slivers of kRows rows of the left, which fit into the level-2
// cache, and one panel of kCols columns of the right, which stays in the level-1 cache.
constexpr Index kMostRows = 256, kMostDepth = 384;

struct Tile {
    alignas(16) float cells[kRows][kCols];
};

// Σ over the depth of a column of the sliver times a row of the panel. Both are stored one step
// after the other. The loop is not unrolled by hand: V8 would load all its operands first, which
// needs more registers than there are. Not inlined, so that the loop has all registers to itself.
[[gnu::noinline]] void multiply_tile(const float* sliver, const float* panel, Index depth,
                                     Tile& tile) {
    Four sums[kRows][2] = {};
    for (const float* end = sliver + depth * kRows; sliver != end;
         sliver += kRows, panel += kCols) {
        const Four first = *reinterpret_cast<const Four*>(panel);
        const Four second = *reinterpret_cast<const Four*>(panel + 4);
        for (Index r = 0; r < kRows; ++r) {
            const Four factor = {sliver[r], sliver[r], sliver[r], sliver[r]};
            sums[r][0] += factor * first;
            sums[r][1] += factor * second;
        }
    }
    for (Index r = 0; r < kRows; ++r)
        for (Index half = 0; half < 2; ++half)
            *reinterpret_cast<Four*>(tile.cells[r] + 4 * half) = sums[r][half];
}

// Copies rows of a matrix to the columns of a sliver or panel of this width; missing rows are 0.
template <Index width>
void copy_rows(const MatrixView& from, float* to) {
    if (from.rows < width) std::fill_n(to, from.cols * width, 0.0F);
    for (Index r = 0; r < from.rows; ++r) {
        const float* row = from.row(r);
        for (Index i = 0; i < from.cols; ++i) to[i * width + r] = row[i];
    }
}

// Copies the columns of a matrix to a panel; missing columns are 0.
void copy_columns(const MatrixView& from, float* to) {
    for (Index i = 0; i < from.rows; ++i, to += kCols) {
        std::copy_n(from.row(i), from.cols, to);
        std::fill(to + from.cols, to + kCols, 0.0F);
    }
}

// Writes the tile, or adds it to what is there.
void store(const Tile& tile, bool add, const float* bias, const MatrixSpan& out) {
    for (Index r = 0; r < out.rows; ++r) {
        float* row = out.row(r);
        for (Index c = 0; c < out.cols; ++c) {
            const float before = add ? row[c] : bias != nullptr ? bias[c] : 0.0F;
            row[c] = before + tile.cells[r][c];
        }
    }
}

// The same for a block of at most kMostRows rows and a depth of at most kMostDepth. `slivers` has
// room for the rows of the left.
void multiply_block(const MatrixView& left, const MatrixView& right, bool transposed, bool add,
                    const float* bias, const MatrixSpan& out, float* slivers) {
    const Index depth = left.cols;
    for (Index r = 0; r < left.rows; r += kRows)
        copy_rows<kRows>(left.block(r, 0, std::min(kRows, left.rows - r), depth),
                         slivers + r * depth);
    alignas(16) float panel[kMostDepth * kCols];
    Tile tile;
    for (Index c = 0; c < out.cols; c += kCols) {
        const Index cols = std::min(kCols, out.cols - c);
        if (transposed)
            copy_rows<kCols>(right.block(c, 0, cols, depth), panel);
        else
            copy_columns(right.block(0, c, depth, cols), panel);
        for (Index r = 0; r < out.rows; r += kRows) {
            multiply_tile(slivers + r * depth, panel, depth, tile);
            store(tile, add, bias != nullptr ? bias + c : nullptr,
                  out.block(r, c, std::min(kRows, out.rows - r), cols));
        }
    }
}

}  // namespace

void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out) {
    Matrix slivers = new_matrix(std::min(kMostRows, (out.rows + kRows - 1) / kRows * kRows),
                                std::min(kMostDepth, left.cols));
    for (Index i = 0; i < left.cols; i += kMostDepth) {
        const Index depth = std::min(kMostDepth, left.cols - i);
        const MatrixView part = transposed ? right.block(0, i, right.rows, depth)
                                           : right.block(i, 0, depth, right.cols);
        for (Index r = 0; r < out.rows; r += kMostRows) {
            const Index rows = std::min(kMostRows, out.rows - r);
            multiply_block(left.block(r, i, rows, depth), part, transposed, i > 0, bias,
                           out.block(r, 0, rows, out.cols), slivers.data());
        }
    }
    recycle(std::move(slivers));
}

}  // namespace headlight::tiled
