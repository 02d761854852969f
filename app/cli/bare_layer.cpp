#include "cli/bare_layer.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cli/errors.h"
#include "cli/input.h"
#include "encoder/model_steps.h"
#include "encoder/program.h"
#include "encoder/runner.h"

namespace headlight::cli {

namespace {

// mask is [N, M] or [B, N, M], key_padding_mask [B, M].
void check_masks(const Source& source, std::int64_t b, std::int64_t n, std::int64_t m) {
    using Shape = std::vector<std::int64_t>;
    if (const NamedTensor* mask = find(source.input, "mask"))
        if (mask->shape != Shape{n, m} && mask->shape != Shape{b, n, m})
            InputTensor{*mask, source.input_path, "mask"}.refuse(shape_text({n, m}) + " or " +
                                                                 shape_text({b, n, m}));
    if (const NamedTensor* padding = find(source.input, "key_padding_mask"))
        if (padding->shape != Shape{b, m})
            InputTensor{*padding, source.input_path, "key_padding_mask"}.refuse(shape_text({b, m}));
}

// A key is blocked where any of the masks blocks it. Null: nothing is.
std::shared_ptr<const Mask> joined_mask(const Source& source, std::int64_t b, std::int64_t n,
                                        std::int64_t m) {
    check_masks(source, b, n, m);
    const NamedTensor* mask = find(source.input, "mask");
    const NamedTensor* padding = find(source.input, "key_padding_mask");
    const bool causal = source.asked.causal;
    if (!mask && !padding && !causal) return nullptr;
    const bool per_sample = padding || (mask && mask->shape.size() == 3);
    Mask joined{per_sample ? b : 1, n, m, {}};
    joined.blocked.resize(static_cast<std::size_t>(joined.samples * n * m));
    std::size_t at = 0;
    for (std::int64_t sample = 0; sample < joined.samples; ++sample)
        for (std::int64_t query = 0; query < n; ++query)
            for (std::int64_t key = 0; key < m; ++key, ++at)
                joined.blocked[at] = (causal && key > query) ||
                                     (mask && mask->values[at % mask->values.size()] != 0) ||
                                     (padding && padding->values[sample * m + key] != 0);
    return std::make_shared<const Mask>(std::move(joined));
}

LayerInput given_tokens(const Source& source) {
    const int dim = source.model->blocks.front().attention.dim;
    const std::string name = source.input.contains("tokens") ? "tokens" : "query";
    const InputTensor tokens{source.input.at(name), source.input_path, name};
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

// What the file says, and what was asked instead.
Block block_of(const Source& source) {
    const Model& model = *source.model;
    const AttentionOption& asked = source.asked;
    if (!asked.heads && !model.heads_are_known)
        throw WorkError(model.file +
                        ": expected the number of heads from --attention (e.g. '{\"heads\": 2}'), "
                        "--config or config.json, found it nowhere: its tensors cannot say.");
    Block block = model.blocks.front();
    AttentionConfig& config = block.attention;
    config.heads = asked.heads.value_or(config.heads);
    config.skip = asked.skip.value_or(config.skip);
    config.temperature = asked.temperature;
    if (asked.scale) config.scale = *asked.scale;
    validate(config);
    return block;
}

}  // namespace

Trace trace_bare_layer(const Source& source) {
    const Block block = block_of(source);
    Trace front = trace_of_patches(source);
    LayerInput input;
    if (front.has(Tensor::patches)) {
        compute_front_step(front, Step::position, positions_of(source));
        input.tokens = front.all(Tensor::tokens).map();
        input.batch = front.shape.batch;
    } else {
        input = given_tokens(source);
    }
    const Index queries = input.tokens.rows() / input.batch;
    const Index keys =
        input.value_tokens.size() == 0 ? queries : input.value_tokens.rows() / input.batch;
    input.mask = joined_mask(source, input.batch, queries, keys);

    Trace trace = *run_layer(std::move(input), block);
    trace.model = source.model;
    for (const Tensor tensor : {Tensor::patches, Tensor::positions})
        trace.set(tensor, front.result(tensor));
    trace.set(Tensor::encoded, trace.result(Tensor::output));
    for (const Step step : steps_of(*source.model, 0)) compute_end_step(trace, step);
    return trace;
}

}  // namespace headlight::cli
