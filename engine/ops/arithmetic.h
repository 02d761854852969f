#pragma once

#include <vector>

#include "trace/trace.h"

namespace headlight {

// One term of a cell's sum.
struct Term {
    float left = 0,
          right = 0;  // the two factors, or summands; right is unused for a single operand
    float value = 0;  // left · right, or left
};

// How one cell of a node's result follows from the node's operands, recomputed for this cell.
struct Arithmetic {
    Tensor result = Tensor::output;
    Index row = 0, col = 0;
    Op op = Op::add;
    Tensor left = Tensor::tokens, right = Tensor::tokens;
    std::vector<Term> terms;
    double sum = 0;  // of the terms (products, sums), or of exp(s − max) over the row (softmax)
    float bias = 0;  // added to the sum, if has_bias
    bool has_bias = false;
    float factor = 1;   // scale, point: the factor; dropout: 1 − p; share: eps, which is added to
                        // the row sum
    float row_max = 0;  // softmax, largest: maximum of the row
    float runner_up = 0;  // largest: the second largest score of the row; −∞ if there is none
    float numerator = 0;  // softmax: exp(s − max) of this cell
    // unit: x / deviation, with deviation = length of the row
    // features: exp(sum − mean) / deviation, with mean = ‖x‖²/2 and deviation = √M
    // norm: (x − mean) / deviation · γ + β with deviation = √(variance + eps); `sum` is x
    double mean = 0, deviation = 1;
    float gamma = 1, beta = 0;
    bool is_tanh = false;                      // activate: tanh instead of `activation`
    Activation activation = Activation::gelu;  // activate; if gated, the terms are the gate and the
                                               // value
    // patches: the cell is outside the image or the grid, which is padded with zeros after
    // normalization. No terms, recomputed 0.
    bool padding = false;
    bool dropped = false;  // dropout: the result is zero
    bool blocked = false;  // mask: the key is masked for the query; the right term is −∞
    // mask, softmax, largest, mix: all keys of the row are masked. The attention weights are 0 by
    // definition, because softmax would divide 0 by 0 (PyTorch gives NaN). sum and recomputed are
    // 0.
    bool row_blocked = false;
    // mask, for a blocked cell: the attention weight that the cell would get if the mask used −10
    // or −100 instead of −∞. NaN if the whole row is blocked.
    double leak_of_ten = 0, leak_of_hundred = 0;
    // mix: the head is switched off, so its result is zero. No terms, recomputed 0.
    bool switched_off = false;
    double recomputed = 0;
    float shown = 0;
    // |recomputed − shown| <= 1e-5 · (Σ|terms| + |bias|) + 1e-7, which allows for the rounding
    // error of float sums of that size. Or both are, as floats, the same infinity, or both NaN.
    bool agrees = false;
};

// True if each cell of the result is a sum of products.
constexpr bool adds_products(Op op) {
    return op == Op::linear || op == Op::project || op == Op::classify || op == Op::linear_heads ||
           op == Op::multiply || op == Op::additive || op == Op::mix || op == Op::point;
}

// The arithmetic behind one cell of the result of `node`, which must belong to the trace. For the
// patches step it follows the runner: (pixel − mean) / std, with the pixel as `left`. Empty terms
// if the trace has no such cell. `result`: the matrix on screen, if the trace does not store it
// (Trace::on_demand).
Arithmetic explain_cell(const Trace& trace, const Node& node, Index head, Index row, Index col,
                        const MatrixView& result = {});

}  // namespace headlight
