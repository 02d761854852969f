#pragma once

#include <string>
#include <vector>

#include "ops/arithmetic.h"
#include "trace/trace.h"

// The chain rule of one cell, written out: ∂y/∂x is the sum over all cells z that are computed from
// x of ∂y/∂z · ∂z/∂x. Recomputed here cell by cell, as explain_cell() recomputes a value.
namespace headlight {

// One step that reads the cell. Each term: left = ∂y/∂ a cell of the step's result, right = how
// much that cell changes with this one.
struct ChainWay {
    Step through = Step::image;
    Tensor of = Tensor::output;  // the step's result
    std::string at;              // which cells of it: "[4, j]"
    std::string derivative;      // the right factors in symbols: "W[j, 7]"
    std::vector<Term> terms;
    double sum = 0;
};

struct ChainRule {
    Tensor tensor = Tensor::output;
    Index row = 0, col = 0;
    std::vector<ChainWay> ways;
    std::string why_not;  // one sentence; empty: it is written out
    double recomputed = 0;
    float shown = 0;
    bool agrees = false;  // as Arithmetic::agrees
};

// `gradients`: the trace's tensors as with_gradients() gives them; those of row, col of the first
// sample's matrix of `tensor`, of which there is one.
ChainRule explain_gradient(const Trace& trace, const Trace& gradients, Tensor tensor, Index head,
                           Index row, Index col);

}  // namespace headlight
