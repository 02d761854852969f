#pragma once

#include <vector>

#include "trace/trace.h"

namespace headlight {

// One number that goes into a cell, and where it stands.
struct Term {
    float left = 0,
          right = 0;  // the two factors, or summands; right is unused for a single operand
    float value = 0;  // left · right, or left
};

// How one cell of a node's result comes about from the step's operands, recomputed here cell by
// cell.
struct Arithmetic {
    Tensor result = Tensor::output;
    Index row = 0, col = 0;
    Op op = Op::add;
    Tensor left = Tensor::tokens, right = Tensor::tokens;
    std::vector<Term> terms;
    double sum = 0;  // of the terms (products, sums), or of exp(s − max) over the row (softmax)
    float bias = 0;  // added to the sum, where the step has one
    bool has_bias = false;
    float factor = 1;     // the scale step's factor, and that of point; of dropout 1 − p; of share what the
                          // row sum is made larger by
    float row_max = 0;    // softmax, largest
    float runner_up = 0;  // largest: the row's second largest score; −∞ where there is none
    float numerator = 0;  // softmax: exp(s − max) of this cell
    // unit: x / deviation, which is the row's length here
    // features: exp(sum − mean) / deviation, with half the row's square and √M
    // norm: (x − mean) / deviation · γ + β with deviation = √(variance + eps); `sum` is x
    double mean = 0, deviation = 1;
    float gamma = 1, beta = 0;
    bool is_tanh = false;                      // activate, instead of one of these
    Activation activation = Activation::gelu;  // activate; gated: the terms are gate and value
    // patches: the cell lies beyond the image or the grid, where zeros are put in after
    // normalising. It comes from nothing: no terms, recomputed 0.
    bool padding = false;
    bool dropped = false;  // dropout: zero came out
    bool blocked = false;  // mask: the query may not read the key; the right factor is −∞
    // mask, softmax, largest, mix: all keys of the row are masked. Its weights are 0 by definition,
    // for softmax has nothing to divide there: sum and recomputed are 0 (PyTorch gives NaN).
    bool row_blocked = false;
    // mask, of a blocked cell: what softmax would leave it with −10, or −100, in the place of the
    // row's −∞; NaN where the row is blocked throughout.
    double leak_of_ten = 0, leak_of_hundred = 0;
    // mix: the head is switched off, and whatever it reads, zero comes out. No terms, recomputed 0.
    bool switched_off = false;
    double recomputed = 0;
    float shown = 0;
    // |recomputed − shown| <= 1e-5 · (Σ|terms| + |bias|) + 1e-7: the rounding that float sums of
    // that size may have. Or, as floats, both the same infinity or both NaN.
    bool agrees = false;
};

// Whether a cell is a sum of products.
constexpr bool adds_products(Op op) {
    return op == Op::linear || op == Op::project || op == Op::classify || op == Op::linear_heads ||
           op == Op::multiply || op == Op::additive || op == Op::mix || op == Op::point;
}

// The arithmetic behind one cell of the result of `node`, which is one of the trace's (for the
// patches step, of the pixel's path: (pixel − mean) / std is the runner's, and left is the pixel).
// Empty terms where the trace has no such cell. `result`: the matrix that is shown, where the trace
// does not keep it (Trace::on_demand).
Arithmetic explain_cell(const Trace& trace, const Node& node, Index head, Index row, Index col,
                        const MatrixView& result = {});

}  // namespace headlight
