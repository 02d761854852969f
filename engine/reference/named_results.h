#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/result.h"
#include "positions/positions.h"
#include "trace/trace.h"

// A trace's results as files have them: under the names of the tensor table, with the samples and
// heads of a matrix as dimensions in front of it.
namespace headlight {

struct NamedResult {
    std::string name;  // "layer.3.query", "t2t.1.query"
    Tensor tensor = Tensor::input;
};

// Up to what enters the first layer, without T2T's soft splits.
std::vector<NamedResult> results_of_front(const Trace& trace);
// Of the layer that the trace keeps in full. A bare layer goes no further than its attention, so
// what comes out of that is its output.
std::vector<NamedResult> results_of_layer(const Trace& trace);
// What follows the last layer.
std::vector<NamedResult> results_of_end(const Trace& trace);

// One of them, in parts: all samples and heads, one after the other.
struct ShapedResult {
    std::vector<std::int64_t> shape;  // [B, (heads,) rows, columns]
    std::vector<MatrixView> blocks;
    SharedResult kept;  // where the blocks are no part of the trace
};
ShapedResult shaped(const Trace& trace, Tensor tensor);
// As files have it: where a layer's tokens are read window by window, what has a number for each
// two tokens is [B·windows, heads, n, n], windows row by row of the shifted map and tokens row by
// row in each; all else as it is shaped.
ShapedResult shaped_for_file(const Trace& trace, Tensor tensor);
// The same of the positions, of that kind: of a model's own table, as its file has it, only the
// rows of tokens that it is added to.
ShapedResult shaped_positions(const Trace& trace, PositionKind kind);

}  // namespace headlight
