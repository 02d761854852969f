#pragma once

#include <cstddef>
#include <span>

#include "files/file.h"
#include "kernels/stop.h"
#include "ops/arithmetic.h"
#include "trace/trace.h"

// How each kind of operation is computed: one table row per kind.
namespace headlight {

// Inputs of a node that are not in the trace.
struct Tools {
    const FileReader* read_file = nullptr;  // null: there is no picture file to read
    StopFlag stop{};
};

struct OpInfo {
    Op op;
    // Takes the node's operands from the trace and stores its results there. Throws the exceptions
    // of the kernels, RecipeError, or Stopped.
    void (*compute)(const Node&, Trace&, const Tools&);
    // Explains cell (a.row, a.col) of the first result. On entry, `a` has operands, cell and shown
    // value.
    void (*explain)(Arithmetic&, const Node&, const Trace&, Index head);
};
const OpInfo& info(Op op);

// Computes nodes[at] and those after it that share one pass over memory with it. Returns the number
// of nodes computed; all of them get their stamps.
std::size_t compute(std::span<const Node> nodes, std::size_t at, Trace& trace, const Tools& tools);

// Computes all nodes in order.
void compute_all(std::span<const Node> nodes, Trace& trace, const Tools& tools);

// The stamp that the node's results would get now.
Stamp stamp_of(const Node& node, const Trace& trace);

}  // namespace headlight
