#include "cli/bare_layer.h"

#include <utility>

#include "cli/errors.h"
#include "cli/input.h"
#include "cli/masks.h"
#include "encoder/run_layer.h"
#include "ops/ops.h"
#include "program/program.h"
#include "program/score.h"

namespace headlight::cli {

namespace {

bool is_learned(const Source& source) {
    return source.asked.variant.projections == Projections::learned;
}

LayerInput given_tokens(const Source& source) {
    const std::string name = source.input.contains("tokens") ? "tokens" : "query";
    const InputTensor tokens{source.input.at(name), source.input_path, name};
    // Without projections tokens of any width will do.
    const bool any = !is_learned(source);
    const auto& shape = tokens.tensor.shape;
    const int dim = any && shape.size() == 3 ? static_cast<int>(shape[2])
                                             : source.model->layers.front().attention.dim;
    LayerInput layer;
    layer.tokens = token_rows(tokens, dim, *source.model);
    layer.batch = tokens.extent(0);
    if (name == "tokens") return layer;
    const InputTensor value{source.input.at("value"), source.input_path, "value"};
    layer.value_tokens = token_rows(value, dim, *source.model);
    if (value.extent(0) != layer.batch)
        value.refuse(std::to_string(layer.batch) + " samples, as in query");
    return layer;
}

// What the file says, and what was asked instead; `dim` is the width of the tokens.
Layer layer_of(const Source& source, int dim) {
    const Model& model = *source.model;
    const Recipe& asked = source.asked;
    if (!asked.heads && !model.heads_are_known && is_learned(source))
        throw WorkError(model.file +
                        ": expected the number of heads from --attention (e.g. '{\"heads\": 2}'), "
                        "--config or config.json, found it nowhere: its tensors cannot say.");
    Layer layer = model.layers.front();
    AttentionConfig& config = layer.attention;
    config.heads = asked.heads.value_or(config.heads);
    config.skip = asked.skip.value_or(config.skip);
    config.temperature = asked.temperature;
    config.scale = asked.scale;
    config.variant = asked.variant;
    if (!is_learned(source)) {
        config.heads = asked.heads.value_or(1);
        config.dim = config.channels = dim;
        config.skip = asked.skip.value_or(Skip::none);
    }
    // The file's own scale belongs to its own products.
    const bool of_others = !is_learned(source) || asked.variant.score.has_value();
    if (of_others && config.scale == model.layers.front().attention.scale) config.scale.reset();
    validate(config);
    expect_score_weights(layer, config, model.file);
    return layer;
}

}  // namespace

Trace trace_bare_layer(const Source& source) {
    Trace front = trace_of_patches(source);
    LayerInput input;
    if (front.has(Tensor::patches)) {
        compute_all(token_nodes(*source.model, source.asked.position), front, {});
        input.tokens = front.all(Tensor::tokens).eigen();
        input.batch = front.shape.batch;
        input.grid = front.grid;
    } else {
        input = given_tokens(source);
    }
    const Layer layer = layer_of(source, static_cast<int>(input.tokens.cols()));
    const Index queries = input.tokens.rows() / input.batch;
    const Index keys =
        input.value_tokens.size() == 0 ? queries : input.value_tokens.rows() / input.batch;
    input.rotary = rotary_of(*source.model, source.asked.position, layer.attention.head_dim());
    input.mask = joined_mask(
        source, {input.batch, queries, keys, layer.attention.heads, layer.attention.head_dim()});

    Trace trace = *run_layer(std::move(input), layer, source.asked.mask);
    trace.model = source.model;
    for (const Tensor tensor : {Tensor::patches, Tensor::positions})
        trace.set(tensor, front.result(tensor));
    trace.set(Tensor::encoded, trace.result(Tensor::output));
    compute_all(end_nodes(*source.model), trace, {});
    return trace;
}

}  // namespace headlight::cli
