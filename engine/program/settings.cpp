#include <string>

#include "kernels/counted.h"
#include "ops/limits.h"
#include "program/program.h"
#include "program/score.h"

// The settings of a layer: those of its model, with the user's changes.
namespace headlight {

Counterfactual counterfactual_of(const Recipe& recipe, const Model& model) {
    Counterfactual change{recipe.scale, recipe.temperature, recipe.switched_off, recipe.mask,
                          recipe.position};
    if (!model.is_bare_layer()) return change;
    change.cross = is_cross(recipe);
    const bool learned = recipe.variant.projections == Projections::learned;
    change.skip = recipe.skip;
    change.variant = recipe.variant;
    if (learned)
        change.heads = recipe.heads;
    else
        change.token_width = token_numbers(recipe, model);
    return change;
}

namespace {

// The switched-off heads of layer b, which has `heads` heads. Throws RecipeError for a head that it
// does not have.
std::vector<Index> heads_off(const std::vector<HeadPlace>& switched_off, int b, int heads) {
    std::vector<Index> off;
    for (const HeadPlace& place : switched_off) {
        if (place.layer != b) continue;
        if (place.head < 0 || place.head >= heads)
            throw RecipeError("Head " + std::to_string(place.head + 1) + " of layer " +
                              std::to_string(b + 1) + " cannot be switched off: that layer has " +
                              counted(heads, "head") + ".");
        off.push_back(place.head);
    }
    return off;
}

// The rotation of queries and keys under this choice of positions: none, the model's own, or, in a
// model without one, DINOv3's. Throws PositionError if head_dim does not allow a rotation.
std::optional<Rotary> rotary_of(const Model& model, const PositionChoice& position, int head_dim) {
    const bool is_asked = info(position.kind).effect == PositionEffect::turned;
    if (!is_asked && position.kind != PositionKind::model) return std::nullopt;
    if (model.rotary || !is_asked) return model.rotary;
    return dinov3_rotary(head_dim, position.base);
}

// A Performer's attention is a quotient of features and has no scores, so changes to scores do not
// apply.
void expect_nothing_of_scores(const Counterfactual& change) {
    const AttentionVariant& variant = change.variant;
    const PositionEffect positions = info(change.position.kind).effect;
    const char* found = change.scale                                  ? "a scale"
                        : change.temperature != 1.0F                  ? "a temperature"
                        : !change.mask.empty() || change.given_mask   ? "a mask"
                        : variant.score                               ? "a score"
                        : variant.weights_from != Weighting::softmax  ? "another softmax"
                        : variant.projections != Projections::learned ? "no projections"
                        : change.heads.value_or(1) != 1               ? "several heads"
                        : positions == PositionEffect::turned         ? "rotary positions"
                        : positions == PositionEffect::biased         ? "a relative position bias"
                                                                      : nullptr;
    if (found != nullptr)
        throw RecipeError(std::string("A performer computes attention from features and has no "
                                      "scores. Expected no setting that changes scores, found ") +
                          found + ".");
}

void expect_of_attention_alone(const Layer& layer, const Counterfactual& change) {
    if (change.variant.projections == Projections::none &&
        (layer.norm1.exists() || layer.mlp_in.exists()))
        throw RecipeError(
            "Expected projections, found none. Only a single attention layer works without them, "
            "and this one also has norms and an MLP.");
}

// Refuses changes that do not work when queries are other tokens than keys. In a decoder, a mask
// that relates tokens of one list stays allowed for its self-attention.
void expect_of_cross_attention(const Model& model, const Counterfactual& change) {
    if (!takes_queries(model))
        throw RecipeError(
            "Only a decoder or a single attention layer takes separate queries, but this model "
            "has " +
            std::string(model.layers.size() > 1 ? "several layers." : "norms and an MLP."));
    for (const MaskRule& rule : change.mask)
        if (info(rule.kind).needs_square && !model.is_decoder())
            throw RecipeError("The mask " + std::string(info(rule.kind).name) +
                              " compares places in one list of tokens, but cross-attention has two "
                              "lists. Choose another mask.");
    const PositionEffect positions = info(change.position.kind).effect;
    if (positions == PositionEffect::turned)
        throw RecipeError(
            "Rotary positions rotate queries and keys by the place of their patches, but these "
            "queries are not patches. Choose other positions.");
    if (positions == PositionEffect::biased)
        throw RecipeError(
            "A relative position bias is a number for the offset from one patch to another, but "
            "these queries are not patches. Choose other positions.");
    if (change.variant.sum_over == SumOver::queries)
        throw RecipeError(
            "A sum over the queries gives one row per key, but here queries and keys are different "
            "tokens. Sum over the keys.");
    if (change.skip && adds_value(*change.skip))
        throw RecipeError(
            "The skip from V adds a token's own value, but these queries have no values. Choose X "
            "or no skip.");
}

// In a decoder, rules that relate a token to others of the same list apply to its self-attention.
// Other rules, such as hidden keys, apply to its cross-attention.
MaskRules mask_of_part(MaskRules rules, DecoderPart part) {
    if (part == DecoderPart::none) return rules;
    const bool square = part == DecoderPart::self_attention;
    std::erase_if(rules,
                  [&](const MaskRule& rule) { return info(rule.kind).needs_square != square; });
    return rules;
}

// Applies the settings that a bare layer's file does not contain.
void change_bare(AttentionConfig& config, const Layer& layer, const Counterfactual& change) {
    expect_of_attention_alone(layer, change);
    if (layer.features) expect_nothing_of_scores(change);
    const bool learned = change.variant.projections == Projections::learned;
    config.variant = change.variant;
    config.heads = change.heads.value_or(learned ? config.heads : 1);
    config.skip = change.skip.value_or(learned ? config.skip : Skip::none);
    if (change.cross && adds_value(config.skip)) config.skip = Skip::none;  // queries have no value
    // The layer's own scale belongs to its own score.
    if (!learned || change.variant.score) config.scale.reset();
    if (learned) return;
    config.dim = config.channels = change.token_width.value_or(config.dim);
    config.value_channels.reset();
    config.outputs.reset();
}

// The steps after a bare layer expect the output width of its file.
void expect_readable_end(const Model& model, const AttentionConfig& config) {
    const int expected = model.layers.back().attention.output_width();
    if (!model.classifier.exists() && !model.pointing.exists() && !model.norm.exists()) return;
    if (config.output_width() == expected) return;
    throw RecipeError("The next step takes " + std::to_string(expected) +
                      " numbers per token, but with this change the layer gives " +
                      std::to_string(config.output_width()) + ".");
}

}  // namespace

bool takes_queries(const Model& model) {
    const Layer& first = model.layers.front();
    const bool alone = model.layers.size() == 1 && !first.norm1.exists() && !first.mlp_in.exists();
    return model.is_bare_layer() && (alone || model.is_decoder());
}

LayerSettings settings_of(const Model& model, int b, const Counterfactual& change) {
    const Layer& layer = model.layers[static_cast<std::size_t>(b)];
    LayerSettings settings;
    AttentionConfig& config = settings.attention;
    config = layer.attention;
    const bool bare = model.is_bare_layer();
    settings.cross = change.cross && layer.part != DecoderPart::self_attention;
    if (change.cross) expect_of_cross_attention(model, change);
    if (bare) change_bare(config, layer, change);
    if (!layer.features) {  // the other layers of a whole model have scores
        if (change.scale) config.scale = change.scale;
        config.temperature = change.temperature;
        settings.mask = mask_of_part(change.mask, layer.part);
        if (layer.part != DecoderPart::self_attention) settings.given_mask = change.given_mask;
    }
    if (bare) validate(config);
    if (bare && b + 1 == static_cast<int>(model.layers.size())) expect_readable_end(model, config);
    settings.reads = bare && b == 0 ? Tensor::tokens : Tensor::input;
    settings.relative_bias = change.position.kind == PositionKind::model;
    // True if the layer can use positions in its scores.
    const bool told = !model.is_maps() && b >= model.token_transformers() && !layer.features;
    if (told) settings.rotary = rotary_of(model, change.position, config.head_dim());
    if (told && info(change.position.kind).effect == PositionEffect::biased)
        settings.made_bias = RelativeParameters{.made = change.position.bias, .layer = b};
    settings.trained_so = bare || change.position.kind == PositionKind::model;
    settings.switched_off = heads_off(change.switched_off, b, config.heads);
    // The weights of a drawn layer are drawn later, as needed.
    if (bare && !model.file.empty()) expect_score_weights(layer, config, model.file);
    return settings;
}

}  // namespace headlight
