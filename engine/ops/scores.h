#pragma once

#include <span>

#include "ops/ops.h"

// From products to attention. If the trace does not store squares, products and scores are only
// marked as available on demand, and the attention is computed from queries and keys block by
// block.
namespace headlight {

// True for operations whose results are [N, M] for each head ("squares").
constexpr bool is_square(Op op) {
    return op == Op::multiply || op == Op::additive || op == Op::scale || op == Op::relative ||
           op == Op::mask || op == Op::softmax || op == Op::largest;
}

// Those of them that the pass starting at `scale` also computes.
constexpr bool follows_scale(Op op) {
    return op == Op::relative || op == Op::mask || op == Op::softmax || op == Op::largest;
}

// The nodes at the start of `nodes` that one pass computes: scale, an optional relative bias, an
// optional mask, and softmax or largest. Empty if `nodes` starts with another node.
std::span<const Node> one_pass(std::span<const Node> nodes);
void compute_attention(std::span<const Node> pass, Trace& trace, const Tools& tools);

// Products, scaled products, scores or the window bias of one head that the trace does not store
// (Trace::on_demand). Gives the same numbers as a stored matrix.
Matrix compute_for_head(const Trace& trace, Tensor tensor, Index sample, Index head);

// True if the mask blocks every key for this query of the layer, so that its attention weights are
// 0.
bool is_row_blocked(const Trace& trace, Index head, Index row);

}  // namespace headlight
