#pragma once

#include <span>

#include "ops/ops.h"

// From products to attention. Where the trace keeps no squares, products and scores are promised
// only, and the attention is computed from queries and keys block by block.
namespace headlight {

// The operations whose results are [N, M] for each head.
constexpr bool is_square(Op op) {
    return op == Op::multiply || op == Op::additive || op == Op::scale || op == Op::relative ||
           op == Op::mask || op == Op::softmax || op == Op::largest;
}

// Those of them that the pass from the scale on computes too.
constexpr bool follows_scale(Op op) {
    return op == Op::relative || op == Op::mask || op == Op::softmax || op == Op::largest;
}

// The first of these nodes where one pass computes them: scale, relative bias or none, mask or
// none, softmax or largest. Empty where they begin with something else.
std::span<const Node> one_pass(std::span<const Node> nodes);
void compute_attention(std::span<const Node> pass, Trace& trace, const Tools& tools);

// Products, scaled products, scores or the bias of windows of one head that the trace does not keep
// (Trace::on_demand), the same numbers that it would hold.
Matrix compute_for_head(const Trace& trace, Tensor tensor, Index sample, Index head);

// Whether the mask leaves this query of the layer no key at all: its attention weights are 0.
bool is_row_blocked(const Trace& trace, Index head, Index row);

}  // namespace headlight
