#pragma once

#include "trace/trace.h"

namespace headlight {

// What one step of a walk costs, for all samples of the batch: counted from the shapes of what it
// reads and writes, so it holds for any machine.
//
// A product and its sum are two floating-point operations, a bias or any other sum, product,
// quotient or comparison one, and a curve (exp, tanh, GELU) one too. Per cell of [N, M] a softmax
// takes 5 (largest, difference, exp, sum, quotient), per number a layer norm 8 (mean; difference,
// square and sum for the variance; centered, divided, γ, β) and a batch norm 4.
struct Cost {
    double operations = 0;
    double read = 0, written = 0;  // bytes of operands and weights, and of results
    // What becomes of the operations when there are twice as many tokens: 4 where every query meets
    // every key, 2 where every token is by itself, 1 where one row speaks for all.
    int when_doubled = 2;
};

// Of one of the trace's nodes, whose operands and results it has. What is only cut apart or laid
// side by side is neither computed nor moved.
Cost cost_of(const Trace& trace, const Node& node);

}  // namespace headlight
