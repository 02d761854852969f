#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/result.h"
#include "positions/positions.h"
#include "trace/trace.h"

// A trace's results in the form for files: under the names of the tensor table, with samples and
// heads as leading dimensions.
namespace headlight {

struct NamedResult {
    std::string name;  // "layer.3.query", "t2t.1.query"
    Tensor tensor = Tensor::input;
};

// Results up to the input of the first layer, without T2T's soft splits.
std::vector<NamedResult> results_of_front(const Trace& trace);
// Results of the layer that the trace stores in full. A bare layer ends with its attention block,
// whose result is the layer's output.
std::vector<NamedResult> results_of_layer(const Trace& trace);
// Results after the last layer.
std::vector<NamedResult> results_of_end(const Trace& trace);

// One result as a list of blocks: all samples and heads in order.
struct ShapedResult {
    std::vector<std::int64_t> shape;  // [B, (heads,) rows, columns]
    std::vector<MatrixView> blocks;
    SharedResult kept;  // owns the blocks, if they are not part of the trace
};
ShapedResult shaped(const Trace& trace, Tensor tensor);
// In the form for files. If a layer attends within windows, pairwise results are [B·windows, heads,
// n, n], with windows row by row of the shifted grid and tokens row by row in each. Others are as
// in shaped().
ShapedResult shaped_for_file(const Trace& trace, Tensor tensor);
// The same for positions of that kind. For a model's own position embedding, only the rows of
// tokens it is added to, as in its file.
ShapedResult shaped_positions(const Trace& trace, PositionKind kind);

}  // namespace headlight
