#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "attention/layer.h"
#include "ops/ops.h"
#include "program/program.h"
#include "trace/trace.h"

// Running a model's layers one after the other, and passing on the residual stream.
namespace headlight {

// Squares [N, N] of all heads are stored up to this many bytes; beyond, only the attention.
inline constexpr double kMaxSquaresBytes = 512.0 * 1024 * 1024;

// The nodes of layer b of any model.
std::vector<Node> nodes_of_layer(const Model& model, int b, const LayerSettings& settings);

// Sets trace.stream[b]: from the tokens, from a soft split, or from the output of the layer before.
void begin_layer(Trace& trace, int b);

// Passes the output of layer b on to the next layer, the next soft split, or the end of the model.
void end_layer(Trace& trace, int b, SharedResult output);

// The tensor that holds the residual stream at the start of a layer. In a Swin layer that merges,
// Tensor::input is computed from it.
inline Tensor reads_stream(const Layer& layer) {
    return layer.merge.exists() ? Tensor::merge_input : Tensor::input;
}

// Makes layer b the layer that the trace stores in full: sets its grid, input and shape.
// trace.stream[b] must be set, except for attention-only import.
void enter_layer(Trace& trace, int b, const LayerSettings& settings);

// Removes the node's results from the trace, before it is recomputed.
void forget_results(Trace& trace, const Node& node);

// Sets the grid and layout of the tokens of layer b, and for T2T the tokens before the soft split.
void place_layer(Trace& trace, int b);

// What to keep, replace or skip when computing a single layer.
struct LayerWatch {
    std::span<const Tensor> keep{};  // tensors to keep in addition to the usual ones
    // Called once the tensor is computed; may replace it.
    std::map<Tensor, std::function<void(Trace&)>> meddle{};
    std::optional<Tensor> last{};  // stop after the node that computes it; none: run to the output
};

// Computes layer b as a whole, from trace.stream[b]. The returned trace only holds the layer's
// input, attention and output, and the tensors in `watch.keep`.
Trace compute_layer(const Trace& trace, int b, const Counterfactual& change, const StopFlag& stop,
                    const LayerWatch& watch = {});

}  // namespace headlight
