#pragma once

#include <string>
#include <vector>

#include "ops/arithmetic.h"
#include "trace/trace.h"

// The chain rule for one cell, written out: ∂y/∂x = Σ_z ∂y/∂z · ∂z/∂x over all cells z that are
// computed from x. Recomputed cell by cell, as explain_cell() does for values.
namespace headlight {

// The contribution of one step that uses the cell. In each term, left = ∂y/∂z of a cell z of the
// step's result, right = ∂z/∂x.
struct ChainWay {
    Step through = Step::image;
    Tensor of = Tensor::output;  // result of the step
    std::string at;              // which cells of it: "[4, j]"
    std::string derivative;      // the right factors as symbols: "W[j, 7]"
    std::vector<Term> terms;
    double sum = 0;
};

struct ChainRule {
    Tensor tensor = Tensor::output;
    Index row = 0, col = 0;
    std::vector<ChainWay> ways;
    std::string why_not;  // one sentence; empty: the chain rule is written out
    double recomputed = 0;
    float shown = 0;
    bool agrees = false;  // as Arithmetic::agrees
};

// `gradients`: from with_gradients(). Explains cell (row, col) of the first sample's gradient of
// `tensor`, which must exist.
ChainRule explain_gradient(const Trace& trace, const Trace& gradients, Tensor tensor, Index head,
                           Index row, Index col);

}  // namespace headlight
