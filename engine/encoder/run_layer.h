#pragma once

#include <memory>

#include "encoder/layers.h"

namespace headlight {

// What a layer is given when there is no image: tokens of B samples. In cross-attention the value
// tokens have the same width D.
struct LayerInput {
    Index batch = 1;
    Matrix tokens;        // [B·N, D]
    Matrix value_tokens;  // [B·M, D] for cross-attention; empty: self-attention
    std::shared_ptr<const Mask> mask;
    PatchGrid grid{};  // of the tokens, where they are patches of a picture
    std::optional<Rotary> rotary{};
};

// A layer without norms and MLP.
Layer bare_layer(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights);

// Runs one attention layer on given tokens: a layer without norms and MLP. Throws AttentionError
// where shapes disagree; RecipeError where the trace would not fit into memory.
std::shared_ptr<const Trace> run_layer(LayerInput input, const Layer& layer,
                                       const MaskRules& rules = {});
std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                       std::shared_ptr<const AttentionWeights> weights,
                                       const MaskRules& rules = {});

}  // namespace headlight
