#pragma once

#include "ops/arithmetic.h"

namespace headlight {

// The arithmetic behind a cell of a step, by its name; of a step that the walk has not, nothing.
inline Arithmetic explained(const Trace& trace, Step step, Index head, Index row, Index col) {
    const Node* node = trace.node(step);
    return node == nullptr ? Arithmetic{} : explain_cell(trace, *node, head, row, col);
}

}  // namespace headlight
