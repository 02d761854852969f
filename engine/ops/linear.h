#pragma once

#include "trace/trace.h"

namespace headlight {

// x·Wᵀ + b for tokens [rows, in]; result [rows, out]. The bias may be missing.
Matrix linear(const MatrixView& tokens, const Linear& layer);

// Stores the node's weights in the trace, under their names.
void set_weights(const Node& node, Trace& trace);

}  // namespace headlight
