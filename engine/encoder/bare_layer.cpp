#include "encoder/bare_layer.h"

#include <cstdint>
#include <string>
#include <utility>

#include "encoder/layers.h"
#include "encoder/runner.h"
#include "ops/limits.h"

namespace headlight {

namespace {

// Width of the tokens that keys and values are computed from, if a file provides them separately.
std::optional<int> value_token_width(const Recipe& recipe) {
    const auto* file = std::get_if<TokenFile>(&recipe.tokens);
    if (file == nullptr || !file->is_cross()) return {};
    return static_cast<int>(file->array().width);
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

std::shared_ptr<const Model> layers_to_be_drawn(const Recipe& recipe) {
    auto model = std::make_shared<Model>();
    model->family = "drawn";
    model->title = recipe.layers == 1 ? "One attention layer with random weights"
                                      : "Attention layers with random weights";
    model->preprocessing = bare_preprocessing();
    model->patch_size = PatchSettings{}.size;
    int width = token_numbers(recipe, *model);
    for (int b = 0; b < recipe.layers; ++b) {
        Layer layer;
        name_layer(layer, b);
        AttentionConfig& config = layer.attention;
        config.dim = width;
        config.channels = recipe.channels;
        config.heads = kUsualHeads;
        config.value_channels = recipe.value_channels;
        config.outputs = recipe.outputs;
        config.qkv_bias = recipe.qkv_bias;
        if (const auto values = value_token_width(recipe); values && *values != width)
            config.value_token_dim = values;
        width = config.output_width();
        model->layers.push_back(std::move(layer));
    }
    return model;
}

// The first layer uses the recipe's seed itself.
std::uint64_t seed_of_layer(std::uint64_t seed, std::size_t b) {
    return seed + 0x9E3779B97F4A7C15ULL * b;  // 2^64 divided by the golden ratio: far from other
                                              // seeds
}

ScoreWeights drawn_score(const AttentionConfig& config, Index keys, std::uint64_t seed) {
    DrawnScore drawn = draw_score_weights(config, keys, seed);
    return {config.heads, make_result(std::move(drawn.weight)),
            drawn.vector.size() == 0 ? nullptr : make_result(std::move(drawn.vector))};
}

namespace {

bool is_alike(const Model& drawn, const Model& wanted) {
    if (drawn.layers.size() != wanted.layers.size()) return false;
    for (std::size_t b = 0; b < wanted.layers.size(); ++b)
        if (!(drawn.layers[b].attention == wanted.layers[b].attention)) return false;
    return true;
}

bool has_projections(const Recipe& recipe) {
    return recipe.variant.projections == Projections::learned;
}

// In double, because the factors come from the user and the product may overflow.
void refuse_too_large(const Model& model) {
    double numbers = 0;
    for (const Layer& layer : model.layers) {
        const AttentionConfig& c = layer.attention;
        numbers += 1.0 * c.dim * c.channels +
                   1.0 * c.value_token_width() * (1.0 * c.channels + c.value_width()) +
                   1.0 * c.value_width() * c.output_width();
    }
    refuse_beyond_memory(4 * numbers, "These weights", "fewer channels or smaller patches");
}

}  // namespace

// The layers to be drawn, with the weights that already exist for them.
std::shared_ptr<const Model> Runner::drawn_model() const {
    std::shared_ptr<const Model> wanted = layers_to_be_drawn(recipe_);
    if (!drawn_.model || drawn_.seed != recipe_.seed || !is_alike(*drawn_.model, *wanted))
        return wanted;
    const ScoreToBeDrawn score = wanted_score();
    if (score.keys == 0 || drawn_.score == score) return drawn_.model;
    auto model = std::make_shared<Model>(*drawn_.model);
    for (Layer& layer : model->layers) layer.score = {};
    return model;
}

Runner::ScoreToBeDrawn Runner::wanted_score() const {
    const Score score = recipe_.variant.score.value_or(Score::scaled_dot);
    if (!has_projections(recipe_) || info(score).weight.empty()) return {};
    const Tensor keys = is_cross(recipe_) ? Tensor::value_tokens : Tensor::tokens;
    return {score, recipe_.heads.value_or(kUsualHeads),
            draft_->all(keys).rows / draft_->shape.batch};
}

void Runner::check_bare_width() const {
    const bool cross = is_cross(recipe_);
    if (cross && !has_projections(recipe_)) return check_alike();
    if (recipe_.weights.empty() || !has_projections(recipe_)) return;
    const Layer& first = draft_->model->layers.front();
    if (draft_->model->is_decoder() && !gives_queries(recipe_.tokens))
        throw RecipeError(recipe_.weights +
                          ": a decoder attends to its own tokens and to a memory. Open a file with "
                          "query (the tokens) and value (the memory).");
    if (!cross && first.key_value.exists())
        throw RecipeError(
            recipe_.weights +
            ": this layer computes its queries from one set of tokens, and its keys and values "
            "from another. Open a file with query and value, or use learned queries on a picture.");
    if (first.attention.key_token_dim)
        throw RecipeError(recipe_.weights +
                          ": this layer computes its keys from one set of tokens and its values "
                          "from another. Use headlight trace, which takes query, key and value.");
    if (!cross) return check_width(Tensor::tokens, first.attention.dim, "takes tokens");
    check_width(Tensor::tokens, first.attention.dim, "computes its queries from tokens");
    check_width(Tensor::value_tokens, first.attention.value_token_width(),
                "computes keys and values from tokens");
}

// Without projections, queries and keys are the tokens themselves, so their widths must match.
void Runner::check_alike() const {
    const Index queries = draft_->all(Tensor::tokens).cols,
                keys = draft_->all(Tensor::value_tokens).cols;
    if (queries != keys)
        throw RecipeError(
            "Without projections queries and keys are the tokens themselves. Expected the same "
            "width for both, found " +
            std::to_string(queries) + " and " + std::to_string(keys) + " numbers.");
}

void Runner::check_width(Tensor tokens, int reads, const std::string& does) const {
    const Index cut = draft_->all(tokens).cols;
    if (reads == cut) return;
    const std::string sentence = recipe_.weights + ": its layer " + does + " of " +
                                 std::to_string(reads) + " numbers, but these ";
    if (gives_tokens(recipe_.tokens))
        throw TokensRefused(sentence + "tokens have " + std::to_string(cut) + ".");
    throw RecipeError(sentence + "patches have " + std::to_string(cut) +
                      ". Choose a patch size and color that give " + std::to_string(reads) + ".");
}

// Draws the missing weights: all weights, or those of a learned score. Whenever weights change, the
// model is a new object, so that everything that depends on it is recomputed.
void Runner::draw(const StopFlag& stop) {
    if (!recipe_.weights.empty() || !has_projections(recipe_)) return;
    const std::shared_ptr<const Model> present = draft_->model;
    const ScoreToBeDrawn score = wanted_score();
    const bool lacks_weights = !present->layers.front().qkv.exists();
    const bool lacks_score =
        score.keys > 0 && (!present->layers.front().score.weight || drawn_.score != score);
    if (!lacks_weights && !lacks_score) return;
    refuse_too_large(*present);
    auto model = std::make_shared<Model>(*present);
    for (std::size_t b = 0; b < model->layers.size(); ++b) {
        const std::uint64_t seed = seed_of_layer(recipe_.seed, b);
        Layer& layer = model->layers[b];
        if (lacks_weights) {
            layer = bare_layer(layer.attention, std::make_shared<const AttentionWeights>(
                                                    draw_weights(layer.attention, seed, stop)));
            name_layer(layer, static_cast<int>(b));
        }
        if (score.keys == 0) continue;
        const AttentionConfig config =
            settings_of(*model, static_cast<int>(b), counterfactual()).attention;
        layer.score = drawn_score(config, score.keys, seed);
    }
    drawn_ = {model, recipe_.seed, score};
    draft_->model = std::move(model);
    program_.layer = nodes_of_layer(*draft_->model, program_.looked_at, settings_);
    draft_->nodes = program_.walk(*draft_->model);
}

}  // namespace headlight
