#include <algorithm>
#include <utility>

#include "ops/scores.h"
#include "ops/table.h"

namespace headlight::ops {

namespace {

// A slot for some columns of the result that `from` is stored in.
Slot columns(const Trace& trace, Tensor from, Index first, Index cols, Index heads) {
    Slot slot = trace.slot(from);
    slot.first += first;
    slot.cols = cols;
    slot.heads = heads;
    slot.stacking = heads == 1 ? Slot::Stacking::samples : Slot::Stacking::heads_across;
    return slot;
}

}  // namespace

// Nothing is computed: the heads are columns of existing results. Results: queries, keys, values,
// and V of all heads.
void compute_cut(const Node& node, Trace& trace, const Tools&) {
    const auto& [heads, head_dim, value_dim, all_alike] = node.get<CutParameters>();
    const Index c = heads * head_dim, v = heads * value_dim;
    // Q, K and V side by side, or the same columns for all three.
    const auto part = [&, c = c, alike = all_alike](Index number) {
        return alike ? 0 : number * c;
    };
    // Q, K and V in one matrix, or Q in one and K and V in another.
    const bool packed = node.operands.size() == 1;
    const Tensor queries = node.operands.front(), others = node.operands.back();
    const auto across = [&, heads = heads](Tensor from, Index first, Index width) {
        Slot slot = columns(trace, from, first, width, heads);
        slot.stacking = Slot::Stacking::heads_across;
        return slot;
    };
    trace.set(node.results[0], across(queries, 0, c));
    trace.set(node.results[1], across(others, part(packed ? 1 : 0), c));
    trace.set(node.results[2], across(others, part(packed ? 2 : 1), v));
    trace.set(node.results[3], columns(trace, others, part(packed ? 2 : 1), v, 1));
}

// Transposes each head: [B·H·N, N].
void compute_turn(const Node& node, Trace& trace, const Tools& tools) {
    const MatrixView squares = trace.all(node.operands[0]);
    const Index side = squares.cols;
    Matrix turned(squares.rows, side);
    for (Index first = 0; first < squares.rows; first += side) {
        throw_if_stopped(tools.stop);
        turned.middleRows(first, side) = squares.block(first, 0, side, side).eigen().transpose();
    }
    trace.set(node.result(), make_result(std::move(turned)));
}

// A·V with the heads side by side; a head that is switched off gives zero.
void compute_mix(const Node& node, Trace& trace, const Tools& tools) {
    Matrix mixed = mix_values(trace.all(node.operands[0]), trace.all(node.operands[1]),
                              shape_of(node, trace), tools.stop);
    const Index width = trace.shape.value_width();
    for (const Index head : node.get<MixParameters>().switched_off)
        mixed.middleCols(head * width, width).setZero();
    trace.set(node.result(), make_result(std::move(mixed)));
}

// compute_mix already wrote the heads side by side.
void compute_join(const Node& node, Trace& trace, const Tools&) {
    const Tensor heads = node.operands[0];
    trace.set(node.result(), columns(trace, heads, 0, trace.slot(heads).cols, 1));
}

void explain_cut(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    // Q is the first part of [Q K V].
    take(a, trace.view(a.left)(a.row, head * node.get<CutParameters>().head_dim + a.col));
}

void explain_turn(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    take(a, trace.view(a.left, 0, head)(a.col, a.row));
}

void explain_mix(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const auto& off = node.get<MixParameters>().switched_off;
    a.switched_off = std::ranges::find(off, head) != off.end();
    if (a.switched_off) return;
    add_products(a, trace.view(a.left, 0, head), trace.view(a.right, 0, head), false);
    const bool of_layer = node.place == Place::layer && a.left != Tensor::attention_turned;
    a.row_blocked = of_layer && is_row_blocked(trace, head, a.row);
}

void explain_join(Arithmetic& a, const Node&, const Trace& trace, Index) {
    const Index width = trace.shape.value_width();
    take(a, trace.view(a.left, 0, a.col / width)(a.row, a.col % width));
}

}  // namespace headlight::ops
