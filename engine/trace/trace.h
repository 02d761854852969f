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

// Where the trace stores a matrix: in a result of its own, or in some columns of another result.
struct Slot {
    enum class Stacking {
        shared,        // one matrix for all samples
        heads_shared,  // one matrix per head for all samples, stacked by row
        samples,       // samples stacked by row: [B·N, ·]
        heads_across,  // samples stacked by row, heads side by side: [B·N, H·head_dim]
        heads_down,    // heads stacked by row, sample by sample: [B·H·N, M]
    };

    SharedResult result;
    Stacking stacking = Stacking::samples;
    Index first = 0, cols = 0;  // columns of the result
    Index heads = 1;
    // Version of a matrix that is not stored, but computed for one head on demand. 0: not on
    // demand.
    std::uint64_t promised = 0;

    [[nodiscard]] bool exists() const { return result != nullptr || promised != 0; }
    [[nodiscard]] std::uint64_t version() const { return result ? result->version() : promised; }
    // All samples and heads, stacked; empty if the matrix is not stored.
    [[nodiscard]] MatrixView all() const;
    [[nodiscard]] Stamp::Read read() const;
};

// Everything that one run computed; it never changes afterwards. It holds all steps before the
// first layer, one layer in full, all steps after the last layer, and the residual stream between
// all layers. A new trace shares the results of all nodes that a change of parameters did not
// affect.
struct Trace {
    std::shared_ptr<const Model> model;  // null if a bare layer was run on given tokens
    int layer = 0;                       // index of the model's layer that is stored in full
    std::vector<Node> nodes;  // the walk: before the layers, this layer, after the last layer
    TokenLayout layout;       // of that layer's tokens; in cross-attention, of its keys

    // Empty (null) if tokens were given instead of a picture.
    std::shared_ptr<const Image> source;  // the file as decoded, upright
    std::string source_file;              // its path; empty: a scene
    Preprocessing preprocessing;          // how the picture was resized and cropped
    std::shared_ptr<const Image> image;   // preprocessed; the patches are cut from it
    PatchGrid grid;                       // where each patch of that layer is in the image
    std::vector<float> mean, std;  // token cell = (pixel - mean[c]) / std[c], one per channel
    // Names of given tokens; null: the tokens are patches.
    std::shared_ptr<const std::vector<std::string>> token_names;
    std::array<int, 2> split_grid{};  // rows and columns of Tensor::split_input

    AttentionConfig config;  // of that layer, including the user's changes
    AttentionShape shape;

    std::array<Slot, kTensorCount> slots;  // use view() to read them
    std::vector<SharedResult> stream;      // what enters each block, then what leaves the last one
    // T2T: the output of each soft split, and the inputs of all but the first.
    std::vector<SharedResult> splits, split_inputs;
    // False if storing products and scores of all heads would take too much memory. They then
    // exist, but Headlight computes them for one head on demand (ops/on_demand.h).
    bool keeps_squares = true;

    std::array<std::optional<Stamp>, kStepCount> made;  // the stamp of each node's results
    std::array<double, kStepCount> milliseconds{};      // duration when the step was last computed
    std::array<bool, kStepCount> recomputed{};  // true if the run that made this trace computed it
    double encoder_milliseconds = 0;            // of all blocks, when they were last computed

    // The stored layer of the model, with its weights.
    [[nodiscard]] const Layer& model_layer() const {
        return model->layers[static_cast<std::size_t>(layer)];
    }

    // The node of that step; null if the walk has none.
    [[nodiscard]] const Node* node(Step step) const;
    [[nodiscard]] bool has(Step step) const { return node(step) != nullptr; }
    [[nodiscard]] std::vector<Step> steps() const;  // the names of the nodes

    [[nodiscard]] const Slot& slot(Tensor tensor) const {
        return slots[static_cast<std::size_t>(tensor)];
    }
    [[nodiscard]] bool has(Tensor tensor) const { return slot(tensor).exists(); }
    // True if the trace has the matrix, but not in memory: views are empty.
    [[nodiscard]] bool on_demand(Tensor tensor) const { return slot(tensor).promised != 0; }

    // The matrix of one sample; `head` only matters for tensors stored per head. Empty if
    // !has(tensor) or on_demand(tensor).
    [[nodiscard]] MatrixView view(Tensor tensor, Index sample = 0, Index head = 0) const;
    // All samples and heads, stacked: [B·N, C], or [B·H·N, M].
    [[nodiscard]] MatrixView all(Tensor tensor) const { return slot(tensor).all(); }
    // Rows and columns of view(), also for matrices that are computed on demand.
    [[nodiscard]] Index rows(Tensor tensor) const;
    [[nodiscard]] Index cols(Tensor tensor) const;

    // The version of the result that stores `tensor`, or that it is computed from; 0 if
    // !has(tensor).
    [[nodiscard]] std::uint64_t version(Tensor tensor) const { return slot(tensor).version(); }

    // Stores a matrix in a result of its own, stacked as usual for this tensor; null removes it.
    void set(Tensor tensor, SharedResult result);
    void set(Tensor tensor, Slot slot) {
        slots[static_cast<std::size_t>(tensor)] = std::move(slot);
    }
    // Null also for matrices that are computed on demand.
    [[nodiscard]] const SharedResult& result(Tensor tensor) const { return slot(tensor).result; }

    // Total time of the layer's steps.
    [[nodiscard]] double layer_milliseconds() const;
};

// Parameters of the trace's nodes, or the neutral value if there is no such node.
float factor_of(const Trace& trace);                         // scores = products · factor; default
                                                             // 1
const std::vector<Index>& switched_off(const Trace& trace);  // heads; default none
// Relative bias and masks of all samples, as one mask that is applied to the scores; may be null.
std::shared_ptr<const Mask> mask_of(const Trace& trace);
// The same for these two nodes, either of which may be null. The bias must already be in the trace.
std::shared_ptr<const Mask> mask_of(const Trace& trace, const Node* bias, const Node* mask);
// The windows of this node over the grid of the trace's layer, if it has any.
std::optional<Windows> windows_of(const Trace& trace, const Node* bias_or_mask);

// True if queries and keys are different tokens: queries are computed from Tensor::tokens, keys and
// values from Tensor::value_tokens. In a decoder this only holds for its cross-attention layers.
bool is_cross(const Trace& trace);

TokenGrid token_grid_of(const Trace& trace);  // of the layer's tokens

// The token of a row along `axis`; −1 if the row is neither a token nor a patch.
Index token_of_row(const Trace& trace, Axis axis, Index row);
// The inverse: the row of a token; −1 if it has none.
Index row_of_token(const Trace& trace, Axis axis, Index token);

}  // namespace headlight
