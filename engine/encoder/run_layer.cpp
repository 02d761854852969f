#include "encoder/run_layer.h"

#include <string>
#include <utility>

#include "encoder/run_encoder.h"
#include "program/score.h"

namespace headlight {

namespace {

[[noreturn]] void refuse(const std::string& what, Index expected, Index found) {
    throw AttentionError(what + ": expected " + std::to_string(expected) + ", found " +
                         std::to_string(found) + ".");
}

AttentionShape shape_of(const LayerInput& input, const AttentionConfig& config) {
    const Index b = input.batch;
    const Matrix& values = input.value_tokens.size() != 0 ? input.value_tokens : input.tokens;
    if (b < 1) refuse("samples", 1, b);
    if (input.tokens.cols() != config.dim)
        refuse("width of a token", config.dim, input.tokens.cols());
    if (values.cols() != config.value_token_width())
        refuse("width of a value token", config.value_token_width(), values.cols());
    if (input.tokens.rows() < b || input.tokens.rows() % b != 0 || values.rows() < b ||
        values.rows() % b != 0)
        throw AttentionError("The tokens cannot be divided evenly among " + std::to_string(b) +
                             " samples.");
    return {b,
            input.tokens.rows() / b,
            values.rows() / b,
            config.heads,
            config.head_dim(),
            config.value_dim()};
}

void check_mask(const Mask& mask, const AttentionShape& shape) {
    if (mask.samples != 1 && mask.samples != shape.batch)
        refuse("samples of the mask", shape.batch, mask.samples);
    if (mask.queries != shape.queries) refuse("rows of the mask", shape.queries, mask.queries);
    if (mask.keys != shape.keys) refuse("columns of the mask", shape.keys, mask.keys);
    if (mask.heads != 1 && mask.heads != shape.heads)
        refuse("heads of the mask", shape.heads, mask.heads);
}

}  // namespace

Layer bare_layer(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights) {
    const auto row = [&](const Vector& bias) {
        return bias.size() == 0 ? nullptr
                                : make_result({bias.data(), 1, bias.size(), bias.size()}, weights);
    };
    Layer layer;
    name_layer(layer, 0);
    layer.attention = config;
    layer.qkv = {make_result(weights->qkv, weights), row(weights->qkv_bias)};
    if (weights->key_value.size() != 0)
        layer.key_value = {make_result(weights->key_value, weights), row(weights->key_value_bias)};
    layer.projection = {make_result(weights->projection, weights), row(weights->projection_bias)};
    split_projection(layer);
    return layer;
}

Trace front_of(LayerInput input, std::shared_ptr<const Model> model) {
    Trace front;
    front.model = std::move(model);
    front.shape.batch = input.batch;
    front.grid = input.grid;
    if (input.grid.count() == 0) {  // nothing says how the tokens lie
        front.grid.rows = 1;
        front.grid.cols = static_cast<int>(input.tokens.rows() / input.batch);
    }
    front.set(Tensor::tokens, make_result(std::move(input.tokens)));
    if (input.value_tokens.size() != 0)
        front.set(Tensor::value_tokens, make_result(std::move(input.value_tokens)));
    return front;
}

std::shared_ptr<const Trace> run_layer(LayerInput input, const Layer& layer,
                                       const MaskRules& rules) {
    const AttentionConfig& config = layer.attention;
    validate(config);
    expect_score_weights(layer, config, "this layer");
    const AttentionShape shape = shape_of(input, config);
    if (input.mask) check_mask(*input.mask, shape);
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
        run_encoder(front_of(std::move(input), std::move(model)), change, {}));
}

std::shared_ptr<const Trace> run_layer(LayerInput input, const AttentionConfig& config,
                                       std::shared_ptr<const AttentionWeights> weights,
                                       const MaskRules& rules) {
    validate(config);
    validate(*weights, config);
    return run_layer(std::move(input), bare_layer(config, std::move(weights)), rules);
}

}  // namespace headlight
