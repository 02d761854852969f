#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "encoder/bare_layer.h"
#include "encoder/runner.h"

// One attention layer on a test's tokens.
namespace headlight {

struct LayerInput {
    Index batch = 1;
    Matrix tokens;        // [B·N, D]
    Matrix value_tokens;  // [B·M, D'] for cross-attention; empty: self-attention
    std::shared_ptr<const Mask> mask;
    PatchGrid grid{};  // of the tokens, if they are patches
    std::optional<Rotary> rotary{};
};

// A trace up to these tokens.
inline Trace front_of(LayerInput input, std::shared_ptr<const Model> model) {
    Trace front;
    front.model = std::move(model);
    front.shape.batch = input.batch;
    front.grid = input.grid;
    if (input.grid.count() == 0) {  // the grid is unknown
        front.grid.rows = 1;
        front.grid.cols = static_cast<int>(input.tokens.rows() / input.batch);
    }
    front.set(Tensor::tokens, make_result(std::move(input.tokens)));
    if (input.value_tokens.size() != 0)
        front.set(Tensor::value_tokens, make_result(std::move(input.value_tokens)));
    return front;
}

inline std::shared_ptr<const Trace> run_layer(LayerInput input, const Layer& layer,
                                              const MaskRules& rules = {}) {
    const AttentionConfig& config = layer.attention;
    validate(config);
    Counterfactual change;
    change.scale = config.scale;
    change.temperature = config.temperature;
    change.mask = rules;
    change.heads = config.heads;
    change.skip = config.skip;
    change.variant = config.variant;
    change.given_mask = std::move(input.mask);
    auto model = std::make_shared<Model>();
    model->layers = {layer};
    model->rotary = std::move(input.rotary);
    return std::make_shared<const Trace>(
        Runner::run({front_of(std::move(input), std::move(model)), change}));
}

inline std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                              std::shared_ptr<const AttentionWeights> weights,
                                              const MaskRules& rules = {}) {
    validate(config);
    validate(*weights, config);
    return run_layer(std::move(input), bare_layer(config, std::move(weights)), rules);
}

}  // namespace headlight
