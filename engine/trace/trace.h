#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attention/layer.h"
#include "image/image.h"
#include "kernels/matrix.h"
#include "kernels/result.h"
#include "model/model.h"
#include "patches/patches.h"
#include "patches/token_grid.h"
#include "patches/token_layout.h"
#include "trace/node.h"
#include "trace/steps.h"
#include "trace/tensors.h"

namespace headlight {

// Where a matrix of the trace lies: in a result of its own, or in some columns of another's.
struct Slot {
    enum class Stacking {
        shared,        // one matrix for all samples
        heads_shared,  // one for each head and all samples, one below the other
        samples,       // one sample below the other: [B·N, ·]
        heads_across,  // and the heads side by side: [B·N, H·head_dim]
        heads_down,    // heads one below the other, sample by sample: [B·H·N, M]
    };

    SharedResult result;
    Stacking stacking = Stacking::samples;
    Index first = 0, cols = 0;  // columns of the result
    Index heads = 1;
    // Of a matrix that is not kept, but computed for one head when somebody looks: a number as a
    // result has. 0: there is none.
    std::uint64_t promised = 0;

    [[nodiscard]] bool exists() const { return result != nullptr || promised != 0; }
    [[nodiscard]] std::uint64_t version() const { return result ? result->version() : promised; }
    // All samples and heads as they are stacked; empty where nothing is kept.
    [[nodiscard]] MatrixView all() const;
    [[nodiscard]] Stamp::Read read() const;
};

// Everything that one run computed, never changed afterwards: what leads to the tokens, one layer
// in full, what follows the last layer, and the residual stream between all layers. Two traces
// share the results of the nodes that a change of parameters did not touch.
struct Trace {
    std::shared_ptr<const Model> model;  // null where a bare layer was run on given tokens
    int layer = 0;                       // of the model: the layer kept in full
    std::vector<Node> nodes;  // the walk: what leads to it, its own, what follows the last
    TokenLayout layout;       // of that layer's tokens; of cross-attention of those of the keys

    // Empty (null) where the layer was given its tokens.
    std::shared_ptr<const Image> source;  // the file as decoded, upright
    std::string source_file;              // which; empty: a scene
    Preprocessing preprocessing;          // how it was framed
    std::shared_ptr<const Image>
        image;                     // framed and converted, the pixels that the patches are cut from
    PatchGrid grid;                // where each patch of that layer lies in the image
    std::vector<float> mean, std;  // token cell = (pixel - mean[c]) / std[c], one per channel
    // What tokens that were given are called; null: they are patches.
    std::shared_ptr<const std::vector<std::string>> token_names;
    std::array<int, 2> split_grid{};  // rows and columns of Tensor::split_input

    AttentionConfig config;  // of that layer, with what the person changed
    AttentionShape shape;

    std::array<Slot, kTensorCount> slots;  // read them by view()
    std::vector<SharedResult> stream;      // what enters each block, then what leaves the last one
    // T2T: what each soft split gave, and what each but the first was made of.
    std::vector<SharedResult> splits, split_inputs;
    // False where products and scores of all heads would take too much memory: then they exist, but
    // are computed for one head when somebody looks (ops/on_demand.h).
    bool keeps_squares = true;

    std::array<std::optional<Stamp>, kStepCount> made;  // what made the node's results
    std::array<double, kStepCount>
        milliseconds{};                         // of the run in which the step was last computed
    std::array<bool, kStepCount> recomputed{};  // in the run that made this trace
    double encoder_milliseconds = 0;            // of all blocks, when they were last computed

    // That layer of the model, with its weights.
    [[nodiscard]] const Layer& model_layer() const {
        return model->layers[static_cast<std::size_t>(layer)];
    }

    // The walk's node of that name; null where it has none.
    [[nodiscard]] const Node* node(Step step) const;
    [[nodiscard]] bool has(Step step) const { return node(step) != nullptr; }
    [[nodiscard]] std::vector<Step> steps() const;  // the names of the nodes

    [[nodiscard]] const Slot& slot(Tensor tensor) const {
        return slots[static_cast<std::size_t>(tensor)];
    }
    [[nodiscard]] bool has(Tensor tensor) const { return slot(tensor).exists(); }
    // Has it, but not in memory: views are empty.
    [[nodiscard]] bool on_demand(Tensor tensor) const { return slot(tensor).promised != 0; }

    // One sample's matrix; `head` counts for tensors that are kept per head. Empty where
    // !has(tensor) or on_demand(tensor).
    [[nodiscard]] MatrixView view(Tensor tensor, Index sample = 0, Index head = 0) const;
    // All samples and heads as they are stacked: [B·N, C], or [B·H·N, M].
    [[nodiscard]] MatrixView all(Tensor tensor) const { return slot(tensor).all(); }
    // Rows and columns of view(), also of what is computed on demand.
    [[nodiscard]] Index rows(Tensor tensor) const;
    [[nodiscard]] Index cols(Tensor tensor) const;

    // The number of the result that `tensor` is stored in, or computed from; 0 where !has(tensor).
    [[nodiscard]] std::uint64_t version(Tensor tensor) const { return slot(tensor).version(); }

    // A matrix of its own, stacked as tensors of this kind are; null: none any more.
    void set(Tensor tensor, SharedResult result);
    void set(Tensor tensor, Slot slot) {
        slots[static_cast<std::size_t>(tensor)] = std::move(slot);
    }
    // Null also for what is computed on demand.
    [[nodiscard]] const SharedResult& result(Tensor tensor) const { return slot(tensor).result; }

    // Time of the layer's steps.
    [[nodiscard]] double layer_milliseconds() const;
};

// What the present nodes say of themselves, where there are such nodes.
float factor_of(const Trace& trace);                         // scores = products · factor; 1
const std::vector<Index>& switched_off(const Trace& trace);  // heads; none
// What is added to the scores or blocks them, of all samples: relative bias and masks; null.
std::shared_ptr<const Mask> mask_of(const Trace& trace);
// The same of these nodes, either of which may be null; the bias is in the trace already.
std::shared_ptr<const Mask> mask_of(const Trace& trace, const Node* bias, const Node* mask);
// The windows that such a node knows of, over the grid of the trace's layer; none.
std::optional<Windows> windows_of(const Trace& trace, const Node* bias_or_mask);

// Queries are other tokens than keys: Tensor::tokens ask, Tensor::value_tokens are read. In a
// decoder this holds for its layers of cross-attention alone.
bool is_cross(const Trace& trace);

TokenGrid token_grid_of(const Trace& trace);  // of the tokens of its layer

// The patch that a row stands for which counts `axis`, or the token; −1: neither.
Index token_of_row(const Trace& trace, Axis axis, Index row);
// And the other way: the row of a token; −1 where it has none.
Index row_of_token(const Trace& trace, Axis axis, Index token);

}  // namespace headlight
