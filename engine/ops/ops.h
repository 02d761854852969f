#pragma once

#include <cstddef>
#include <span>

#include "files/file.h"
#include "kernels/stop.h"
#include "ops/arithmetic.h"
#include "trace/trace.h"

// How the nodes of a program are computed: one row for each kind of operation.
namespace headlight {

// What a node may need that is not in the trace.
struct Tools {
    const FileReader* read_file = nullptr;  // null: there is no picture to read
    StopFlag stop{};
};

struct OpInfo {
    Op op;
    // Reads the node's operands out of the trace and writes its results into it. Throws what the
    // kernels throw, RecipeError, or Stopped.
    void (*compute)(const Node&, Trace&, const Tools&);
    // How cell (a.row, a.col) of the first result comes about; `a` knows operands, cell and number.
    void (*explain)(Arithmetic&, const Node&, const Trace&, Index head);
};
const OpInfo& info(Op op);

// Computes nodes[at], and those after it that one pass over the memory computes with it. Gives the
// number of nodes that are done; all have their stamps.
std::size_t compute(std::span<const Node> nodes, std::size_t at, Trace& trace, const Tools& tools);

// All of them, from the first to the last.
void compute_all(std::span<const Node> nodes, Trace& trace, const Tools& tools);

// What the node's results would be made of now.
Stamp stamp_of(const Node& node, const Trace& trace);

}  // namespace headlight
