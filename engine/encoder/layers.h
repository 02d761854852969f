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

// A model's layers, one after the other: who reads the residual stream where.
namespace headlight {

// Squares [N, N] of all heads are kept up to this many bytes; beyond, the attention alone.
inline constexpr double kMaxSquaresBytes = 512.0 * 1024 * 1024;

// The nodes of layer b of a model, whatever it is.
std::vector<Node> nodes_of_layer(const Model& model, int b, const LayerSettings& settings);

// The stream reaches layer b: trace.stream[b] is set from the tokens, from a soft split, or is the
// output of the layer before.
void begin_layer(Trace& trace, int b);

// And leaves it: for the next layer, for the next soft split, or for the end of the model.
void end_layer(Trace& trace, int b, SharedResult output);

// As what a layer reads the stream: a layer of Swin that merges makes Tensor::input of it.
inline Tensor reads_stream(const Layer& layer) {
    return layer.merge.exists() ? Tensor::merge_input : Tensor::input;
}

// Makes layer b the layer that the trace keeps in full: its place in the image, its input and
// extents. trace.stream[b] must be set (of attention-only import: nothing).
void enter_layer(Trace& trace, int b, const LayerSettings& settings);

// What the node writes is let go of, before it is computed again.
void forget_results(Trace& trace, const Node& node);

// Where the tokens of layer b lie in the image, and of T2T what they were made of.
void place_layer(Trace& trace, int b);

// What somebody wants of a layer that is computed by itself.
struct LayerWatch {
    std::span<const Tensor> keep{};  // beside what is kept anyhow
    // Called when that tensor is there, and may set it.
    std::map<Tensor, std::function<void(Trace&)>> meddle{};
    std::optional<Tensor> last{};  // as far as the node that makes it; none: to the output
};

// Computes layer b as a whole, from trace.stream[b], into a trace of its own that keeps nothing but
// its input, attention and output, and what is asked for.
Trace compute_layer(const Trace& trace, int b, const Counterfactual& change, const StopFlag& stop,
                    const LayerWatch& watch = {});

}  // namespace headlight
