#include "cli/bare_layer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "attention/layer.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "ops/ops.h"
#include "program/program.h"

namespace headlight::cli {

namespace {

using Shape = std::vector<std::int64_t>;

bool blocks(const NamedTensor* mask) {
    return mask != nullptr && (mask->type == "BOOL" || mask->type == "U8");
}

bool adds(const NamedTensor* mask) { return mask != nullptr && is_floating_point(mask->type); }

// −inf is the usual value for a blocked key; NaN or +inf would make the whole row NaN.
void expect_addable(const InputTensor& mask) {
    for (const float number : mask.tensor.values)
        if (std::isnan(number) || number == std::numeric_limits<float>::infinity())
            mask.refuse("finite numbers or -inf, which are added to the scores",
                        std::isnan(number) ? "NaN" : "+inf");
}

// One of the two masks, checked; null if it is missing.
const NamedTensor* find_mask(const Source& source, const std::string& name, const Shape& alike,
                             const Shape& blocking, const Shape& adding) {
    const NamedTensor* found = find(source.input, name);
    if (found == nullptr) return nullptr;
    const InputTensor mask{*found, source.input_path, name};
    if (!blocks(found) && !adds(found))
        mask.refuse("BOOL or U8, which blocks, or floating point numbers, which are added",
                    found->type);
    const Shape& other = blocks(found) ? blocking : adding;
    if (found->shape != alike && found->shape != other)
        mask.refuse(shape_text(alike) + (alike == other ? "" : " or " + shape_text(other)));
    if (adds(found)) expect_addable(mask);
    return found;
}

// The masks in --input combined into one; null if there are none. mask [N, M] or [B, N, M] and
// key_padding_mask [B, M] of type BOOL or U8 block where they are true. Floating point masks are
// added to the scores, as in PyTorch: [N, M] or [B·H, N, M], sample by sample, and [B, M]. Throws
// WorkError for another shape or type, or NaN or +inf in a floating point mask.
std::shared_ptr<const Mask> joined_mask(const Source& source, const AttentionShape& shape) {
    const std::int64_t b = shape.batch, n = shape.queries, m = shape.keys;
    const NamedTensor* mask = find_mask(source, "mask", {n, m}, {b, n, m}, {b * shape.heads, n, m});
    const NamedTensor* padding = find_mask(source, "key_padding_mask", {b, m}, {b, m}, {b, m});
    if (!mask && !padding) return nullptr;

    const bool one_for_all = !padding && (!mask || mask->shape.size() == 2);
    Mask joined{one_for_all ? 1 : b, n, m, {}};
    joined.blocked.resize(static_cast<std::size_t>(joined.samples * n * m));
    // A mask shared by several samples or heads repeats.
    const auto of = [](const NamedTensor& repeated, std::size_t at) {
        return repeated.values[at % repeated.values.size()];
    };
    const auto of_key = [&](std::size_t sample, std::size_t at) {
        const auto keys = static_cast<std::size_t>(m);
        return padding->values[sample * keys + at % keys];
    };
    const auto square = static_cast<std::size_t>(n * m);
    for (std::size_t at = 0; at < joined.blocked.size(); ++at)
        joined.blocked[at] = (blocks(mask) && of(*mask, at) != 0) ||
                             (blocks(padding) && of_key(at / square, at) != 0);
    if (!adds(mask) && !adds(padding)) return std::make_shared<const Mask>(std::move(joined));

    if (adds(mask) && mask->shape.size() == 3) joined.heads = shape.heads;
    const std::size_t sample = square * static_cast<std::size_t>(joined.heads);
    joined.added.resize(sample * static_cast<std::size_t>(joined.samples));
    for (std::size_t at = 0; at < joined.added.size(); ++at)
        joined.added[at] =
            (adds(mask) ? of(*mask, at) : 0.0F) + (adds(padding) ? of_key(at / sample, at) : 0.0F);
    return std::make_shared<const Mask>(std::move(joined));
}

bool is_learned(const Source& source) {
    return source.asked.variant.projections == Projections::learned;
}

InputTensor tensor(const Source& source, const std::string& name) {
    return {source.input.at(name), source.input_path, name};
}

// Checks the width that the layer expects; without projections, any width.
Matrix rows_of(const Source& source, const std::string& name, int dim) {
    const InputTensor tokens = tensor(source, name);
    const auto& shape = tokens.tensor.shape;
    const bool any = !is_learned(source) && shape.size() == 3;
    return token_rows(tokens, any ? shape[2] : dim, *source.model);
}

void expect_as_many(const InputTensor& tokens, std::size_t axis, Index expected,
                    const std::string& what) {
    if (tokens.extent(axis) != expected) tokens.refuse(std::to_string(expected) + " " + what);
}

// If keys have tokens of their own, they are to the left of the values' tokens.
Matrix value_rows(const Source& source, const AttentionConfig& config, Index batch) {
    const InputTensor value = tensor(source, "value");
    const bool apart = config.key_token_dim.has_value() && is_learned(source);
    const int width = is_learned(source) ? config.value_token_width() : config.dim;
    Matrix values = rows_of(source, "value", width - (apart ? *config.key_token_dim : 0));
    expect_as_many(value, 0, batch, "samples, as in query");
    if (source.input.contains("key") != apart)
        throw WorkError(source.input_path +
                        (apart ? ": expected \"key\" as well as \"value\", found only \"value\". "
                                 "This layer computes its keys from tokens of another width."
                               : ": expected no \"key\", found one. This layer computes its keys "
                                 "from the tokens in \"value\", so leave \"key\" out."));
    if (!apart) return values;
    const InputTensor key = tensor(source, "key");
    const Matrix keys = rows_of(source, "key", *config.key_token_dim);
    expect_as_many(key, 0, batch, "samples, as in query");
    expect_as_many(key, 1, value.extent(1), "tokens, as in value");
    Matrix both(values.rows(), keys.cols() + values.cols());
    both << keys, values;
    return both;
}

Trace given_tokens(const Source& source) {
    const Model& model = *source.model;
    const Layer& first = model.layers.front();
    const bool cross = source.input.contains("query");
    const InputTensor tokens = tensor(source, cross ? "query" : "tokens");
    Trace front = trace_of_rows(source, tokens.extent(0),
                                rows_of(source, tokens.name, first.attention.dim), Tensor::tokens);
    if (!cross && model.is_decoder())
        tokens.refuse("query (the decoder's tokens) and value (its memory) instead");
    if (!cross && first.key_value.exists() && is_learned(source))
        tokens.refuse("query and value instead, whose widths differ in this layer");
    if (!cross) return front;
    if (!model.is_decoder() && (model.layers.size() > 1 || first.mlp_in.exists()))
        tokens.refuse(
            "tokens, because only a decoder or a single attention layer takes query and "
            "value",
            "query and value");
    front.set(Tensor::value_tokens,
              make_result(value_rows(source, first.attention, front.shape.batch)));
    return front;
}

// A trace up to the input tokens of the first layer.
Trace layer_front(const Source& source) {
    Trace front = trace_of_patches(source);
    if (!front.has(Tensor::patches)) return given_tokens(source);
    const bool two_kinds =
        source.model->is_decoder() || source.model->layers.front().key_value.exists();
    if (two_kinds && is_learned(source))
        throw WorkError(
            source.model->file +
            ": expected --input with query and value, found a picture. This layer computes its "
            "queries from one set of tokens, and its keys and values from another.");
    compute_all(token_nodes(*source.model, source.asked.position), front, {});
    return front;
}

void expect_heads(const Source& source) {
    if (source.asked.heads || source.model->heads_are_known || !is_learned(source)) return;
    throw WorkError(source.model->file +
                    ": its tensors do not say how many heads there are. Give the number with "
                    "--attention '{\"heads\": 2}', --config or config.json.");
}

Counterfactual change_of(const Source& source, Index token_width) {
    const AttentionConfig& own = source.model->layers.front().attention;
    Counterfactual change = counterfactual_of(source.asked, *source.model);
    change.heads = source.asked.heads;
    change.cross = source.model->is_decoder();
    if (!is_learned(source)) change.token_width = static_cast<int>(token_width);
    // Keeps the file's own scale; null removes it.
    if (!own.scale) return change;
    if (change.scale == own.scale)
        change.scale.reset();
    else if (!change.scale && is_learned(source) && !change.variant.score)
        change.scale = 1.0F / std::sqrt(static_cast<float>(own.channels) /
                                        static_cast<float>(change.heads.value_or(own.heads)));
    return change;
}

}  // namespace

Beginning begin_bare_layers(const Source& source) {
    const Model& model = *source.model;
    Trace front = layer_front(source);
    expect_heads(source);
    Counterfactual change = change_of(source, front.all(Tensor::tokens).cols);
    const AttentionConfig config = settings_of(model, 0, change).attention;
    const auto rows = [&](Tensor tokens) { return front.all(tokens).rows / front.shape.batch; };
    const Index queries = rows(Tensor::tokens);
    const Index keys = front.has(Tensor::value_tokens) ? rows(Tensor::value_tokens) : queries;
    change.given_mask =
        joined_mask(source, {front.shape.batch, queries, keys, config.heads, config.head_dim()});
    return {std::move(front), std::move(change)};
}

}  // namespace headlight::cli
