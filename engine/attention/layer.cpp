#include "attention/layer.h"

#include <algorithm>
#include <limits>

#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "kernels/softmax.h"

namespace headlight {

namespace {

constexpr Index kMostRows = 512;  // of a block, so that a wish to stop is heard soon

Index divided_up(Index a, Index b) { return (a + b - 1) / b; }

// Rows of the blocks that a result is computed in: `pieces` blocks or a multiple of that, all
// equally large. No more blocks than needed, for a product rearranges its whole right operand for
// each.
Index block_rows(Index rows, Index pieces) {
    if (rows == 0) return 1;
    return divided_up(rows, divided_up(rows, pieces * kMostRows) * pieces);
}

void check(const StopFlag& stop) {
    if (stop && stop()) throw Stopped();
}

// Calls body(sample, head, first query, queries) for blocks of all heads' rows.
template <class Body>
void for_blocks(const AttentionShape& shape, const StopFlag& stop, const Body& body) {
    const Index heads = shape.batch * shape.heads;
    const Index block = block_rows(shape.queries, divided_up(Index{2} * threads(), heads));
    const Index per_head = divided_up(shape.queries, block);
    parallel_for(heads * per_head, [&](Index i) {
        check(stop);
        const Index head = i / per_head;
        const Index first = (i % per_head) * block;
        body(head / shape.heads, head % shape.heads, first, std::min(block, shape.queries - first));
    });
}

// Scores of blocked keys become −inf.
void block(const std::uint8_t* blocked, float* scores, Index keys) {
    for (Index m = 0; m < keys; ++m)
        if (blocked[m] != 0) scores[m] = -std::numeric_limits<float>::infinity();
}

}  // namespace

Mask causal_mask(Index queries, Index keys) {
    Mask mask{1, queries, keys,
              std::vector<std::uint8_t>(static_cast<std::size_t>(queries * keys))};
    for (Index n = 0; n < queries; ++n)
        for (Index m = n + 1; m < keys; ++m)
            mask.blocked[static_cast<std::size_t>(n * keys + m)] = 1;
    return mask;
}

Matrix linear(const MatrixView& tokens, const MatrixView& weight, const Vector& bias) {
    Matrix out = new_matrix(tokens.rows, weight.rows);
    const auto x = tokens.map();
    const auto w = weight.map();
    parallel_rows(tokens.rows, block_rows(tokens.rows, threads()), [&](Index first, Index rows) {
        auto block = out.middleRows(first, rows);
        block.noalias() = x.middleRows(first, rows) * w.transpose();
        if (bias.size() != 0) block.rowwise() += bias;
    });
    return out;
}

MatrixView head_view(const MatrixView& tokens, Index rows_per_sample, Index first, Index head_dim,
                     Index sample, Index head) {
    return tokens.block(sample * rows_per_sample, first + head * head_dim, rows_per_sample,
                        head_dim);
}

Matrix query_key_products(const MatrixView& query, const MatrixView& key,
                          const AttentionShape& shape, const StopFlag& stop) {
    Matrix products = new_matrix(shape.batch * shape.heads * shape.queries, shape.keys);
    for_blocks(shape, stop, [&](Index sample, Index head, Index first, Index rows) {
        const auto q = head_view(query, shape.queries, 0, shape.head_dim, sample, head).map();
        const auto k = head_view(key, shape.keys, 0, shape.head_dim, sample, head).map();
        products.middleRows((sample * shape.heads + head) * shape.queries + first, rows).noalias() =
            q.middleRows(first, rows) * k.transpose();
    });
    return products;
}

ScoresAndAttention scale_and_softmax(const MatrixView& products, float factor, const Mask* mask,
                                     const AttentionShape& shape, const StopFlag& stop) {
    ScoresAndAttention out{new_matrix(products.rows, products.cols),
                           new_matrix(products.rows, products.cols)};
    for_blocks(shape, stop, [&](Index sample, Index head, Index first, Index rows) {
        const Index top = (sample * shape.heads + head) * shape.queries;
        for (Index q = first; q < first + rows; ++q) {
            auto scores = out.scores.row(top + q);
            scores = products.map().row(top + q) * factor;
            if (mask != nullptr) block(mask->row(sample, q), scores.data(), shape.keys);
            softmax(scores.data(), out.attention.row(top + q).data(), shape.keys);
        }
    });
    return out;
}

Matrix mix_values(const MatrixView& attention, const MatrixView& value, const AttentionShape& shape,
                  const StopFlag& stop) {
    Matrix concat = new_matrix(shape.batch * shape.queries, shape.channels());
    for_blocks(shape, stop, [&](Index sample, Index head, Index first, Index rows) {
        const Index top = (sample * shape.heads + head) * shape.queries + first;
        const auto v = head_view(value, shape.keys, 0, shape.head_dim, sample, head).map();
        concat.block(sample * shape.queries + first, head * shape.head_dim, rows, shape.head_dim)
            .noalias() = attention.map().middleRows(top, rows) * v;
    });
    return concat;
}

}  // namespace headlight
