#pragma once

#include <memory>

#include "encoder/layers.h"

namespace headlight {

// What a layer is given when there is no image: tokens of B samples.
struct LayerInput {
    Index batch = 1;
    Matrix tokens;        // [B·N, D]
    Matrix value_tokens;  // [B·M, D'] for cross-attention; empty: self-attention
    std::shared_ptr<const Mask> mask;
    PatchGrid grid{};  // of the tokens, where they are patches of a picture
    std::optional<Rotary> rotary{};
};

// A trace that has come as far as these tokens, for run_encoder.
Trace front_of(LayerInput input, std::shared_ptr<const Model> model);

// A layer without norms and MLP.
Layer bare_layer(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights);

// Runs one bare layer on given tokens. Throws AttentionError where shapes disagree; RecipeError
// where the trace would not fit into memory.
std::shared_ptr<const Trace> run_layer(LayerInput input, const Layer& layer,
                                       const MaskRules& rules = {});
std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                       std::shared_ptr<const AttentionWeights> weights,
                                       const MaskRules& rules = {});

}  // namespace headlight
