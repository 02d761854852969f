#pragma once

#include "trace/trace.h"

namespace headlight {

// x·Wᵀ + b for tokens [rows, in]; the bias may be missing.
Matrix linear(const MatrixView& tokens, const Linear& layer);

// The node's weights under the names that the trace shows them by.
void set_weights(const Node& node, Trace& trace);

}  // namespace headlight
