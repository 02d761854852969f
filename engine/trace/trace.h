#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "attention/layer.h"
#include "checkpoint/model.h"
#include "image/image.h"
#include "kernels/matrix.h"
#include "kernels/result.h"
#include "patches/patches.h"
#include "patches/token_layout.h"
#include "trace/steps.h"
#include "trace/tensors.h"

namespace headlight {

// Everything that one run computed, never changed afterwards: what leads to the tokens, one layer
// in full, what follows the last layer, and the residual stream between all layers. Two traces
// share the results of the steps that a change of parameters did not touch.
struct Trace {
    std::shared_ptr<const Model> model;  // null where a bare layer was run on given tokens
    int block = 0;                       // of the model: the layer kept in full
    std::vector<Step> steps;             // that there are, in the order of the walk
    TokenLayout layout;                  // of that layer's tokens

    // Empty (null) where the layer was given its tokens.
    std::shared_ptr<const Image> source;  // the file as decoded, upright
    Preprocessing preprocessing;          // how it was framed
    std::shared_ptr<const Image>
        image;                     // framed and converted, the pixels that the patches are cut from
    PatchGrid grid;                // where each patch of that layer lies in the image
    std::vector<float> mean, std;  // token cell = (pixel - mean[c]) / std[c], one per channel
    std::array<int, 2> split_grid{};  // rows and columns of Tensor::split_input

    AttentionConfig config;  // of that layer, with what the person changed
    AttentionShape shape;
    std::shared_ptr<const Mask> mask;  // null: none
    float factor = 1.0F;               // scores = products · factor, then masked
    std::vector<Index> switched_off;   // heads whose A·V is put to zero

    // By tensor, all samples and heads stacked; null where a step does not exist. Read them by
    // view(), for queries, keys, values and head outputs are columns of others.
    std::array<SharedResult, kTensorCount> results;
    SharedResult value_tokens, query_only, key_value;  // of cross-attention
    std::vector<SharedResult> stream;  // what enters each block, then what leaves the last one
    // T2T: what each soft split gave, and what each but the first was made of.
    std::vector<SharedResult> splits, split_inputs;
    // False where products and scores of all heads would take too much memory: then they exist, but
    // are computed for one head when somebody looks (encoder/layer_steps.h).
    bool keeps_squares = true;

    std::array<double, kStepCount>
        milliseconds{};                         // of the run in which the step was last computed
    std::array<bool, kStepCount> recomputed{};  // in the run that made this trace
    double encoder_milliseconds = 0;            // of all blocks, when they were last computed

    [[nodiscard]] bool has(Tensor tensor) const;
    [[nodiscard]] bool has(Step step) const;
    // Has it, but not in memory: views are empty.
    [[nodiscard]] bool on_demand(Tensor tensor) const;

    // One sample's matrix; `head` counts for tensors that are kept per head. Empty where
    // !has(tensor) or on_demand(tensor).
    [[nodiscard]] MatrixView view(Tensor tensor, Index sample = 0, Index head = 0) const;
    // All samples and heads as they are stacked: [B·N, C], or [B·H·N, M].
    [[nodiscard]] MatrixView all(Tensor tensor) const;
    // Rows and columns of view(), also of what is computed on demand.
    [[nodiscard]] Index rows(Tensor tensor) const;
    [[nodiscard]] Index cols(Tensor tensor) const;

    // The number of the result that `tensor` is stored in, or computed from; 0 where !has(tensor).
    [[nodiscard]] std::uint64_t version(Tensor tensor) const;

    void set(Tensor tensor, SharedResult result);
    // As it was set: null for what is a view of something else.
    [[nodiscard]] const SharedResult& result(Tensor tensor) const {
        return results[static_cast<std::size_t>(tensor)];
    }

    // Time of the layer's steps.
    [[nodiscard]] double layer_milliseconds() const;

  private:
    [[nodiscard]] const SharedResult& stored(Tensor tensor) const;
};

// A step as this trace has it: the table's row (steps.h) with the operands, the result and the
// words that this model makes of it.
StepInfo describe(const Trace& trace, Step step);

// The patch that a row stands for which counts `axis`, or the token; −1: neither.
Index token_of_row(const Trace& trace, Axis axis, Index row);
// And the other way: the row of a token; −1 where it has none.
Index row_of_token(const Trace& trace, Axis axis, Index token);

}  // namespace headlight
