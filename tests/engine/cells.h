#pragma once

#include "ops/arithmetic.h"

namespace headlight {

// The arithmetic of a cell by the step's name; empty if the walk has no such step.
inline Arithmetic explained(const Trace& trace, Step step, Index head, Index row, Index col) {
    const Node* node = trace.node(step);
    return node == nullptr ? Arithmetic{} : explain_cell(trace, *node, head, row, col);
}

}  // namespace headlight
