#include "attention/layer.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "attention/query_blocks.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "kernels/recycle.h"
#include "kernels/softmax.h"

namespace headlight {

namespace {

constexpr Index kMostRows = 256;  // per block, so that a stop request takes effect soon

// Number of rows per block, so that there are `pieces` equal blocks or a multiple of that. Uses as
// few blocks as possible, because each product rearranges its whole right operand.
Index block_rows(Index rows, Index pieces) {
    if (rows == 0) return 1;
    return ceil_div(rows, ceil_div(rows, pieces * kMostRows) * pieces);
}

// Consecutive queries of one head.
struct HeadBlock {
    Index sample, head;
    Index first, rows;  // queries

    // The block's first row in a matrix [B·H·N, ·].
    [[nodiscard]] Index first_row(const AttentionShape& shape) const {
        return (sample * shape.heads + head) * shape.queries + first;
    }
};

// Number of queries per block. It does not depend on the number of threads, so that results do not
// either.
Index queries_at_once(const AttentionShape& shape) {
    constexpr Index kBlocks = 6, kFewestRows = 48;  // over all heads; per block
    const Index pieces = ceil_div(kBlocks, std::max<Index>(1, shape.batch * shape.heads));
    return block_rows(shape.queries, std::clamp<Index>(shape.queries / kFewestRows, 1, pieces));
}

// Calls body(HeadBlock) for blocks of all heads' queries.
template <class Body>
void for_blocks(const AttentionShape& shape, const StopFlag& stop, const Body& body) {
    const Index heads = shape.batch * shape.heads;
    const Index block = queries_at_once(shape);
    const Index per_head = ceil_div(shape.queries, block);
    parallel_for(heads * per_head, [&](Index i) {
        throw_if_stopped(stop);
        const Index head = i / per_head;
        const Index first = (i % per_head) * block;
        body(HeadBlock{head / shape.heads, head % shape.heads, first,
                       std::min(block, shape.queries - first)});
    });
}

// Stacks the heads of a token matrix [B·M, H·width] by row: [B·H·M, width]. Products are faster
// with a dense operand, and this one copy serves all blocks of queries.
Matrix stacked_heads(const MatrixView& tokens, const AttentionShape& shape) {
    const Index width = tokens.cols / shape.heads;
    Matrix stacked = new_matrix(shape.batch * shape.heads * shape.keys, width);
    parallel_for(shape.batch * shape.heads, [&](Index i) {
        stacked.middleRows(i * shape.keys, shape.keys) =
            head_view(tokens, shape.keys, 0, width, i / shape.heads, i % shape.heads).eigen();
    });
    return stacked;
}

// The rows of the block's head in such a matrix.
MatrixView stacked_head(const Matrix& stacked, const AttentionShape& shape,
                        const HeadBlock& block) {
    const Index above = (block.sample * shape.heads + block.head) * shape.keys;
    return MatrixView(stacked).block(above, 0, shape.keys, stacked.cols());
}

// Calls body(query, row of a matrix [B·H·N, ·]) for each row of a block.
template <class Body>
void for_rows(const HeadBlock& block, const AttentionShape& shape, const Body& body) {
    const Index top = block.first_row(shape);
    for (Index i = 0; i < block.rows; ++i) body(block.first + i, top + i);
}

// Writes the block's rows of Q·Kᵀ into products [B·H·N, M]; keys are stacked.
void multiply_queries_and_keys(const MatrixView& query, const Matrix& keys,
                               const AttentionShape& shape, const HeadBlock& block,
                               const MatrixSpan& products) {
    const Index width = keys.cols();  // for features this differs from head_dim
    const MatrixView q = head_view(query, shape.queries, 0, width, block.sample, block.head);
    multiply_transposed(q.block(block.first, 0, block.rows, width),
                        stacked_head(keys, shape, block),
                        products.block(block.first_row(shape), 0, block.rows, shape.keys));
}

// Applies the mask to the scores of one query.
void apply(const Mask& mask, const HeadBlock& block, Index query, float* scores) {
    mask.apply(block.sample, block.head, query, scores);
}

// The same, and stores the unmasked scores in `scaled`.
void apply_beside(const Mask& mask, const HeadBlock& block, Index query, float* scores,
                  float* scaled) {
    std::copy_n(scores, mask.keys, scaled);
    apply(mask, block, query, scores);
}

}  // namespace

Matrix linear(const MatrixView& tokens, const MatrixView& weight, const Vector& bias,
              const StopFlag& stop) {
    if (tokens.cols != weight.cols)
        throw AttentionError("Expected rows of " + std::to_string(weight.cols) +
                             " numbers for a weight of that width, found " +
                             std::to_string(tokens.cols) + ".");
    Matrix out = new_matrix(tokens.rows, weight.rows);
    apply_linear(tokens, weight, bias.size() != 0 ? bias.data() : nullptr, out, stop);
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
    Matrix keys = stacked_heads(key, shape);
    for_blocks(shape, stop, [&](const HeadBlock& block) {
        multiply_queries_and_keys(query, keys, shape, block, products);
    });
    recycle(std::move(keys));
    return products;
}

Matrix unit_rows(const MatrixView& x, Index heads) {
    Matrix out = new_matrix(x.rows, x.cols);
    const Index width = x.cols / heads;
    parallel_for(x.rows, [&](Index row) {
        for (Index head = 0; head < heads; ++head) {
            const auto from = x.eigen().row(row).segment(head * width, width);
            const double length = std::sqrt(from.cast<double>().squaredNorm());
            auto to = out.row(row).segment(head * width, width);
            if (length == 0)
                to.setZero();
            else
                to = (from.cast<double>() / length).cast<float>();
        }
    });
    return out;
}

Matrix linear_heads(const MatrixView& x, const MatrixView& weight, Index heads,
                    const StopFlag& stop) {
    const Index in = weight.cols, out = weight.rows / heads;
    Matrix result = new_matrix(x.rows, heads * out);
    const MatrixSpan span = result;
    for (Index head = 0; head < heads; ++head) {
        throw_if_stopped(stop);
        multiply_transposed(x.block(0, head * in, x.rows, in), weight.block(head * out, 0, out, in),
                            span.block(0, head * out, x.rows, out));
    }
    return result;
}

Matrix additive_scores(const MatrixView& query, const MatrixView& key, const MatrixView& vector,
                       const AttentionShape& shape, const StopFlag& stop) {
    const Index width = vector.cols;
    Matrix scores = new_matrix(shape.batch * shape.heads * shape.queries, shape.keys);
    for_blocks(shape, stop, [&](const HeadBlock& block) {
        const MatrixView q = head_view(query, shape.queries, 0, width, block.sample, block.head),
                         k = head_view(key, shape.keys, 0, width, block.sample, block.head);
        const auto v = vector.eigen().row(block.head).array();
        for_rows(block, shape, [&](Index n, Index row) {
            for (Index m = 0; m < shape.keys; ++m)
                scores(row, m) = (v * (q.eigen().row(n) + k.eigen().row(m)).array().tanh()).sum();
        });
    });
    return scores;
}

namespace {

void weigh(Weighting weighting, const float* scores, float* weights, Index count) {
    if (weighting == Weighting::softmax)
        softmax(scores, weights, count);
    else
        largest_alone(scores, weights, count);
}

}  // namespace

ScoresAndAttention scale_and_softmax(const MatrixView& products, float factor, const Mask* mask,
                                     const AttentionShape& shape, const StopFlag& stop,
                                     Weighting weighting) {
    ScoresAndAttention out{
        {}, new_matrix(products.rows, products.cols), new_matrix(products.rows, products.cols)};
    if (mask != nullptr) out.scaled = new_matrix(products.rows, products.cols);
    for_blocks(shape, stop, [&](const HeadBlock& block) {
        for_rows(block, shape, [&](Index query, Index row) {
            auto scores = out.scores.row(row);
            scores = products.eigen().row(row) * factor;
            if (mask != nullptr)
                apply_beside(*mask, block, query, scores.data(), out.scaled.row(row).data());
            weigh(weighting, scores.data(), out.attention.row(row).data(), shape.keys);
        });
    });
    return out;
}

Matrix attention_of(const MatrixView& query, const MatrixView& key, float factor, const Mask* mask,
                    const AttentionShape& shape, const StopFlag& stop,
                    std::vector<RowScale>* rows) {
    Matrix attention = new_matrix(shape.batch * shape.heads * shape.queries, shape.keys);
    if (rows != nullptr) rows->resize(static_cast<std::size_t>(attention.rows()));
    Matrix keys = stacked_heads(key, shape);
    for_blocks(shape, stop, [&](const HeadBlock& block) {
        multiply_queries_and_keys(query, keys, shape, block, attention);
        const MatrixSpan own =
            MatrixSpan(attention).block(block.first_row(shape), 0, block.rows, shape.keys);
        for (Index first = 0; first < block.rows; first += kRowsAtOnce) {
            const Index count = std::min(kRowsAtOnce, block.rows - first);
            const MatrixSpan some = own.block(first, 0, count, shape.keys);
            some.eigen() *= factor;
            if (mask != nullptr)
                for (Index i = 0; i < count; ++i)
                    apply(*mask, block, block.first + first + i, some.row(i));
            std::array<RowScale, kRowsAtOnce> scales;
            softmax_rows(some, scales.data());
            if (rows != nullptr)
                std::copy_n(scales.begin(), count, rows->begin() + block.first_row(shape) + first);
        }
    });
    recycle(std::move(keys));
    return attention;
}

namespace {

// A product with this many columns takes hardly longer than one with a single column.
constexpr Index kKeysAtOnce = 16;

// The first of the kKeysAtOnce keys whose products are computed together with those of key `which`.
Index first_of_few(const AttentionShape& shape, Index which) {
    return std::max<Index>(std::min(which / kKeysAtOnce * kKeysAtOnce, shape.keys - kKeysAtOnce),
                           0);
}

// Products of all queries of a head with these keys: [N, kKeysAtOnce], or fewer columns if there
// are fewer keys.
Matrix products_with_few(const MatrixView& query, const MatrixView& key,
                         const AttentionShape& shape, Index head, Index first) {
    const Index sample = head / shape.heads, width = shape.head_dim,
                count = std::min(kKeysAtOnce, shape.keys - first);
    head %= shape.heads;
    const Matrix keys =
        head_view(key, shape.keys, 0, width, sample, head).block(first, 0, count, width).eigen();
    Matrix products = new_matrix(shape.queries, count);
    multiply_transposed(head_view(query, shape.queries, 0, width, sample, head), keys, products);
    return products;
}

// The block's rows of Q·Kᵀ, [rows, M]; keys are stacked.
Matrix products_of(const MatrixView& query, const Matrix& keys, const AttentionShape& shape,
                   const HeadBlock& block) {
    const Index width = keys.cols();
    const MatrixView q = head_view(query, shape.queries, 0, width, block.sample, block.head);
    Matrix products = new_matrix(block.rows, shape.keys);
    multiply_transposed(q.block(block.first, 0, block.rows, width),
                        stacked_head(keys, shape, block), products);
    return products;
}

// The attention weights of one query of a block, from its products. Eigen's order of summation
// starts at the first aligned number. So the row gets the same alignment as in the full matrix.
template <class Row>
void weigh_alone(const HeadBlock& block, Index query, const Row& products, float factor,
                 const Mask* mask, const AttentionShape& shape, float* weights) {
    constexpr Index kAligned = 16;
    const Index begin = (block.first_row(shape) + query - block.first) * shape.keys % kAligned;
    Vector room(begin + shape.keys);
    auto row = room.tail(shape.keys);
    row = products * factor;
    if (mask != nullptr) apply(*mask, block, query, row.data());
    softmax(row.data(), row.data(), shape.keys);
    std::copy_n(row.data(), shape.keys, weights);
}

}  // namespace

bool key_products_agree(const MatrixView& query, const MatrixView& key, const AttentionShape& shape,
                        const StopFlag& stop) {
    const Matrix keys = stacked_heads(key, shape);
    Matrix all = new_matrix(shape.queries, shape.keys);
    const Index most = queries_at_once(shape);
    parallel_for(ceil_div(shape.queries, most), [&](Index i) {
        throw_if_stopped(stop);
        const Index first = i * most;
        multiply_queries_and_keys(query, keys, shape,
                                  {0, 0, first, std::min(most, shape.queries - first)}, all);
    });
    std::atomic<bool> agree = true;
    parallel_for(ceil_div(shape.keys, kKeysAtOnce), [&](Index i) {
        throw_if_stopped(stop);
        const Index first = first_of_few(shape, i * kKeysAtOnce);
        const Matrix few = products_with_few(query, key, shape, 0, first);
        for (Index n = 0; n < few.rows(); ++n)
            if (std::memcmp(few.row(n).data(), all.row(n).data() + first,
                            static_cast<std::size_t>(few.cols()) * sizeof(float)) != 0)
                agree = false;
    });
    return agree;
}

Matrix attention_of_key(const MatrixView& query, const MatrixView& key, float factor,
                        const Mask* mask, const AttentionShape& shape,
                        const std::vector<RowScale>& rows, Index which, const StopFlag& stop) {
    Matrix columns = new_matrix(shape.batch * shape.heads, shape.queries);
    const Index first = first_of_few(shape, which);
    parallel_for(columns.rows(), [&](Index i) {
        throw_if_stopped(stop);
        Matrix products = products_with_few(query, key, shape, i, first);
        auto scores = columns.row(i);
        scores = products.col(which - first).transpose() * factor;
        if (mask != nullptr)
            mask->apply_to_key(i / shape.heads, i % shape.heads, which, scores.data());
        weights_of(scores.data(), rows.data() + i * shape.queries, scores.data(), shape.queries);
        recycle(std::move(products));
    });
    return columns;
}

// The order of summation depends on the size of the block, so the whole block is computed.
Matrix attention_of_query(const MatrixView& query, const MatrixView& key, float factor,
                          const Mask* mask, const AttentionShape& shape, Index which,
                          const StopFlag& stop) {
    Matrix attention = new_matrix(shape.batch * shape.heads, shape.keys);
    Matrix keys = stacked_heads(key, shape);
    const Index most = queries_at_once(shape), first = which / most * most;
    const Index rows = std::min(most, shape.queries - first);
    parallel_for(shape.batch * shape.heads, [&](Index i) {
        throw_if_stopped(stop);
        const HeadBlock block{i / shape.heads, i % shape.heads, first, rows};
        Matrix products = products_of(query, keys, shape, block);
        weigh_alone(block, which, products.row(which - first), factor, mask, shape,
                    attention.row(i).data());
        recycle(std::move(products));
    });
    recycle(std::move(keys));
    return attention;
}

void for_query_blocks(const MatrixView& query, const MatrixView& key, float factor,
                      const Mask* mask, const AttentionShape& shape, const TakeQueries& take,
                      const StopFlag& stop) {
    Matrix keys = stacked_heads(key, shape);
    const Index most = queries_at_once(shape);
    for (Index first = 0; first < shape.queries; first += most) {
        const Index rows = std::min(most, shape.queries - first);
        Matrix attention = new_matrix(shape.batch * shape.heads * rows, shape.keys);
        parallel_for(shape.batch * shape.heads, [&](Index i) {
            throw_if_stopped(stop);
            const HeadBlock block{i / shape.heads, i % shape.heads, first, rows};
            Matrix products = products_of(query, keys, shape, block);
            for (Index n = 0; n < rows; ++n)
                weigh_alone(block, first + n, products.row(n), factor, mask, shape,
                            attention.row(i * rows + n).data());
            recycle(std::move(products));
        });
        take(first, attention);
        recycle(std::move(attention));
    }
    recycle(std::move(keys));
}

namespace {

// splitmix64 (Steele, Lea and Flood, OOPSLA 2014): hashes a number to a pseudorandom one.
std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

}  // namespace

Matrix drop_out(const MatrixView& x, float p, std::uint64_t seed, std::uint64_t stream) {
    Matrix out = new_matrix(x.rows, x.cols);
    const std::uint64_t key = mixed(mixed(seed) + stream);
    parallel_for(x.rows, [&](Index row) {
        for (Index col = 0; col < x.cols; ++col) {
            const auto cell = static_cast<std::uint64_t>(row * x.cols + col);
            // The top 24 bits give a float in [0, 1) exactly.
            const float unit = static_cast<float>(mixed(key + cell) >> 40U) * 0x1p-24F;
            out(row, col) = unit < p ? 0.0F : x(row, col) / (1 - p);
        }
    });
    return out;
}

Matrix mix_values(const MatrixView& attention, const MatrixView& value, const AttentionShape& shape,
                  const StopFlag& stop) {
    const Index width = shape.value_width();
    Matrix concat = new_matrix(shape.batch * shape.queries, shape.values());
    const MatrixSpan out = concat;
    Matrix values = stacked_heads(value, shape);
    for_blocks(shape, stop, [&](const HeadBlock& block) {
        multiply(attention.block(block.first_row(shape), 0, block.rows, shape.keys),
                 stacked_head(values, shape, block),
                 out.block(block.sample * shape.queries + block.first, block.head * width,
                           block.rows, width));
    });
    recycle(std::move(values));
    return concat;
}

}  // namespace headlight
