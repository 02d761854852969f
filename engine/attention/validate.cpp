#include <cmath>

#include "attention/layer.h"

#include "kernels/counted.h"

namespace headlight {

namespace {

[[noreturn]] void refuse(const std::string& sentence) { throw AttentionError(sentence); }

void expect_shape(const char* what, Index rows, Index cols, Index want_rows, Index want_cols) {
    if (rows == want_rows && cols == want_cols) return;
    refuse(std::string(what) + ": expected [" + std::to_string(want_rows) + ", " +
           std::to_string(want_cols) + "], found [" + std::to_string(rows) + ", " +
           std::to_string(cols) + "].");
}

}  // namespace

float AttentionConfig::effective_scale() const {
    return scale.value_or(1.0F / std::sqrt(static_cast<float>(head_dim())));
}

Score AttentionConfig::score() const {
    const bool plain = variant.projections == Projections::none && !scale;
    return variant.score.value_or(plain ? Score::dot : Score::scaled_dot);
}

float AttentionConfig::factor() const {
    return (score() == Score::scaled_dot ? effective_scale() : 1.0F) / temperature;
}

namespace {

void validate_variant(const AttentionConfig& config) {
    const AttentionVariant& variant = config.variant;
    if (config.score() != Score::scaled_dot && config.scale)
        refuse("The score \"" + std::string(name_of(config.score())) +
               "\" has no scale; only the scaled dot product has one.");
    if (variant.projections == Projections::none &&
        (config.heads != 1 || config.channels != config.dim))
        refuse("Without projections there is one head, as wide as a token; found " +
               counted(config.heads, "head") + " and " + counted(config.channels, "channel") +
               " for tokens of " + std::to_string(config.dim) + " numbers.");
    if (variant.projections == Projections::none && !info(config.score()).weight.empty())
        refuse("Without projections there are no learned weights, but the score \"" +
               std::string(name_of(config.score())) + "\" needs them.");
    for (const float p : {variant.dropout.attention, variant.dropout.output})
        if (!(p >= 0 && p < 1)) refuse("A dropout probability must be at least 0 and below 1.");
}

}  // namespace

void validate(const AttentionConfig& config) {
    if (config.dim < 1)
        refuse("A token needs at least 1 number; found " + std::to_string(config.dim) + ".");
    if (config.channels < 1)
        refuse("The layer needs at least 1 channel; found " + std::to_string(config.channels) +
               ".");
    if (config.heads < 1)
        refuse("The layer needs at least 1 head; found " + std::to_string(config.heads) + ".");
    if (config.channels % config.heads != 0)
        refuse(std::to_string(config.channels) + " channels cannot be divided evenly among " +
               std::to_string(config.heads) + " heads. Choose a multiple of the number of heads.");
    if (config.scale && (!std::isfinite(*config.scale) || *config.scale == 0.0F))
        refuse("The scale must be a finite number other than 0.");
    if (!std::isfinite(config.temperature) || config.temperature <= 0.0F)
        refuse("The temperature must be a number above 0.");
    validate_variant(config);
    if (config.value_width() < 1 || config.value_width() % config.heads != 0)
        refuse("The values' " + std::to_string(config.value_width()) +
               " channels cannot be divided evenly among " + std::to_string(config.heads) +
               " heads.");
    if (config.output_width() < 1)
        refuse("An output token needs at least 1 number; found " +
               std::to_string(config.output_width()) + ".");
    if (config.variant.projections == Projections::none &&
        (config.value_width() != config.dim || config.output_width() != config.dim))
        refuse("Without projections values and outputs are as wide as a token.");
    if (adds_value(config.skip) && config.value_width() != config.output_width())
        refuse("The skip from V adds values of " + std::to_string(config.value_width()) +
               " channels to an output of " + std::to_string(config.output_width()) +
               ". Make the widths equal, or choose another skip.");
    if (adds_input(config.skip) && config.dim != config.output_width())
        refuse("The skip from X adds tokens of " + std::to_string(config.dim) +
               " numbers to an output of " + std::to_string(config.output_width()) +
               " channels. Make the widths equal, or choose the skip from V.");
}

void validate(const AttentionWeights& weights, const AttentionConfig& config) {
    const bool apart = weights.key_value.size() != 0;
    const Index v = config.value_width(), out = config.output_width(), others = config.channels + v,
                qkv = config.channels + (apart ? 0 : others);
    expect_shape("qkv weight", weights.qkv.rows(), weights.qkv.cols(), qkv, config.dim);
    if (apart)
        expect_shape("key and value weight", weights.key_value.rows(), weights.key_value.cols(),
                     others, config.value_token_width());
    if (weights.key_value_bias.size() != 0)
        expect_shape("key and value bias", 1, weights.key_value_bias.size(), 1, others);
    expect_shape("projection weight", weights.projection.rows(), weights.projection.cols(), out, v);
    if (weights.qkv_bias.size() != 0) expect_shape("qkv bias", 1, weights.qkv_bias.size(), 1, qkv);
    if (weights.projection_bias.size() != 0)
        expect_shape("projection bias", 1, weights.projection_bias.size(), 1, out);
}

}  // namespace headlight
