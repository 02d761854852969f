#pragma once

#include "trace/trace.h"

namespace headlight {

// The cost of one step of a walk, for all samples of the batch. Counted from the shapes of its
// inputs and outputs, so it does not depend on the machine.
//
// A multiply-add counts as two floating-point operations; any other sum, product, quotient or
// comparison as one, and so does a function (exp, tanh, GELU). Per cell of [N, M], softmax takes 5
// (maximum, difference, exp, sum, quotient). Per cell, layer norm takes 8 (mean; difference, square
// and sum for the variance; centering, division, γ, β) and batch norm 4.
struct Cost {
    double operations = 0;
    double read = 0, written = 0;  // bytes of operands and weights; bytes of results
    // The factor by which the operations grow if the number of tokens doubles: 4 for every query
    // with every key, 2 for every token separately, 1 for a single row.
    int when_doubled = 2;
};

// The cost of one of the trace's nodes; its operands and results must be in the trace. Splitting
// and concatenating columns costs nothing.
Cost cost_of(const Trace& trace, const Node& node);

}  // namespace headlight
