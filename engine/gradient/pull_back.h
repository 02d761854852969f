#pragma once

#include <optional>
#include <span>

#include "gradient/gradients.h"
#include "kernels/stop.h"
#include "trace/trace.h"

// Running a program backwards: from the gradients of a node's results to those of its operands.
namespace headlight {

struct PullBackInfo {
    Op op;
    // Takes the gradients of the node's results and adds to those of its operands; weights get
    // none. Null: the operation has no gradient here.
    void (*pull_back)(const Node&, const Trace&, Gradients&, const StopFlag&);
    // True if it needs values of the node's operands or results. Linear operations do not.
    bool reads_trace = true;
};
const PullBackInfo& pull_back_of(Op op);

// The last tensor whose values the backward pass through these nodes needs; none if it needs none.
std::optional<Tensor> last_read(std::span<const Node> nodes);

// Goes through the nodes from last to first, skipping those whose results y does not depend on.
// Stops before the node that computes `last`. The trace must hold the values that the nodes need.
// Throws RecipeError for a node whose operation has no gradient, and Stopped.
void pull_back_all(std::span<const Node> nodes, const Trace& trace, Gradients& gradients,
                   std::optional<Tensor> last = {}, const StopFlag& stop = {});

}  // namespace headlight
