#pragma once

#include <optional>
#include <span>

#include "gradient/gradients.h"
#include "kernels/stop.h"
#include "trace/trace.h"

// A program run backwards: what a node's operands contribute to y, from what its results do.
namespace headlight {

struct PullBackInfo {
    Op op;
    // Reads the gradients of the node's results and adds to those of its operands; weights get
    // none. Null: none is known.
    void (*pull_back)(const Node&, const Trace&, Gradients&, const StopFlag&);
    // Whether it reads the node's operands or results: what is linear does not.
    bool reads_trace = true;
};
const PullBackInfo& pull_back_of(Op op);

// The last tensor that the way back through these nodes reads; none: it reads none.
std::optional<Tensor> last_read(std::span<const Node> nodes);

// These nodes from the last to the first, of which only those count whose results y depends on; as
// far as the node that makes `last`, which stays as it is. The trace holds what the nodes read.
// Throws RecipeError for a node whose operation has no pull-back, Stopped.
void pull_back_all(std::span<const Node> nodes, const Trace& trace, Gradients& gradients,
                   std::optional<Tensor> last = {}, const StopFlag& stop = {});

}  // namespace headlight
