#include "kernels/tiled.h"

#include <algorithm>
#include <utility>

#include "kernels/recycle.h"

namespace headlight::tiled {

namespace {

using Four = float __attribute__((vector_size(16), may_alias));
using FourAnywhere = float __attribute__((vector_size(16), aligned(4), may_alias));

Four load(const float* from) { return *reinterpret_cast<const FourAnywhere*>(from); }
void store(float* to, Four numbers) { *reinterpret_cast<FourAnywhere*>(to) = numbers; }

// a · b + c
Four multiply_add(Four a, Four b, Four c) {
#ifdef __wasm_relaxed_simd__
    return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#else
    return a * b + c;
#endif
}

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
        const Four first = load(panel), second = load(panel + 4);
        for (Index r = 0; r < kRows; ++r) {
            const Four factor = {sliver[r], sliver[r], sliver[r], sliver[r]};
            sums[r][0] = multiply_add(factor, first, sums[r][0]);
            sums[r][1] = multiply_add(factor, second, sums[r][1]);
        }
    }
    for (Index r = 0; r < kRows; ++r)
        for (Index half = 0; half < 2; ++half) store(tile.cells[r] + 4 * half, sums[r][half]);
}

// Copies rows of a matrix to the columns of a sliver or panel of this width; missing rows are 0.
template <Index width>
void copy_rows(const MatrixView& from, float* to) {
    static constexpr float kZeros[kMostDepth] = {};
    const float* rows[width];
    for (Index r = 0; r < width; ++r) rows[r] = r < from.rows ? from.row(r) : kZeros;
    Index i = 0;
    for (; i + 4 <= from.cols; i += 4, to += 4 * width)
        for (Index r = 0; r < width; r += 4) {
            const Four a = load(rows[r] + i), b = load(rows[r + 1] + i), c = load(rows[r + 2] + i),
                       d = load(rows[r + 3] + i);
            // Each line moves numbers of two vectors, which is one instruction.
            const Four ab = {a[0], b[0], a[1], b[1]}, ab_end = {a[2], b[2], a[3], b[3]};
            const Four cd = {c[0], d[0], c[1], d[1]}, cd_end = {c[2], d[2], c[3], d[3]};
            store(to + r, Four{ab[0], ab[1], cd[0], cd[1]});
            store(to + r + width, Four{ab[2], ab[3], cd[2], cd[3]});
            store(to + r + 2 * width, Four{ab_end[0], ab_end[1], cd_end[0], cd_end[1]});
            store(to + r + 3 * width, Four{ab_end[2], ab_end[3], cd_end[2], cd_end[3]});
        }
    for (; i < from.cols; ++i, to += width)
        for (Index r = 0; r < width; ++r) to[r] = rows[r][i];
}

// Copies the columns of a matrix to a panel; missing columns are 0.
void copy_columns(const MatrixView& from, float* to) {
    for (Index i = 0; i < from.rows; ++i, to += kCols) {
        const float* row = from.row(i);
        if (from.cols == kCols) {
            store(to, load(row));
            store(to + 4, load(row + 4));
        } else {
            std::copy_n(row, from.cols, to);
            std::fill(to + from.cols, to + kCols, 0.0F);
        }
    }
}

// Writes the tile, or adds it to what is there.
void store_tile(const Tile& tile, bool add, const float* bias, const MatrixSpan& out) {
    for (Index r = 0; r < out.rows; ++r) {
        float* row = out.row(r);
        const float* before = add ? row : bias;
        Index c = 0;
        for (; c + 4 <= out.cols; c += 4) {
            const Four cells = load(tile.cells[r] + c);
            store(row + c, before == nullptr ? cells : cells + load(before + c));
        }
        for (; c < out.cols; ++c)
            row[c] = before == nullptr ? tile.cells[r][c] : tile.cells[r][c] + before[c];
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
            store_tile(tile, add, bias != nullptr ? bias + c : nullptr,
                       out.block(r, c, std::min(kRows, out.rows - r), cols));
        }
    }
}

}  // namespace

void multiply(const MatrixView& left, const MatrixView& right, bool transposed, const float* bias,
              const MatrixSpan& out) {
    Matrix slivers = new_matrix(std::min(kMostRows, ceil_div(out.rows, kRows) * kRows),
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
