#include "program/formula.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "program/program.h"

// The whole formula of attention, and which part of it each step adds.
namespace headlight {
namespace {

LayerSettings settings(Score score = Score::scaled_dot) {
    LayerSettings found;
    found.attention.dim = found.attention.channels = 64;
    found.attention.heads = 4;
    found.attention.variant.score = score;
    return found;
}

// Without the names of tensors: "{query:Q}" → "Q", "^{T}" → "^T".
std::string plain(std::string_view text) {
    std::string found;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '{')
            if (const auto colon = text.find(':', at); colon < text.find('}', at)) at = colon;
        if (text[at] != '{' && text[at] != '}' && text[at] != ':') found += text[at];
    }
    return found;
}

// The formula with the present step's part in brackets: "softmax(Q K^T[ / √16]) V".
std::string at_step(const LayerSettings& settings, Step step, bool head_off = false,
                    const Layer& layer = {}) {
    std::string found;
    for (const FormulaPart& part : whole_formula(layer_nodes(layer, settings), step, head_off)) {
        const std::string text = plain(part.text);
        found += part.present ? "[" + text + "]" : text;
    }
    return found;
}

std::string computed_at(const LayerSettings& settings, Step step) {
    std::string found;
    for (const FormulaPart& part : whole_formula(layer_nodes({}, settings), step))
        if (part.computed) found += plain(part.text);
    return found;
}

TEST(WholeFormula, lights_what_each_step_adds) {
    const LayerSettings usual = settings();
    for (const Step step : {Step::qkv, Step::heads})
        EXPECT_EQ(at_step(usual, step), "softmax([Q] [K^T] / √16) [V]");
    EXPECT_EQ(at_step(usual, Step::products), "softmax([Q K^T] / √16) V");
    EXPECT_EQ(at_step(usual, Step::scale), "softmax(Q K^T[ / √16]) V");
    EXPECT_EQ(at_step(usual, Step::softmax), "[softmax(]Q K^T / √16[)] V");
    EXPECT_EQ(at_step(usual, Step::mix), "softmax(Q K^T / √16)[ V]");
    for (const Step step : {Step::concat, Step::project, Step::skip, Step::norm1})
        EXPECT_EQ(at_step(usual, step), "");
}

TEST(WholeFormula, marks_what_has_been_computed) {
    const LayerSettings usual = settings();
    EXPECT_EQ(computed_at(usual, Step::products), "Q K^T");
    EXPECT_EQ(computed_at(usual, Step::scale), "Q K^T / √16");
    EXPECT_EQ(computed_at(usual, Step::softmax), "softmax(Q K^T / √16)");
    EXPECT_EQ(computed_at(usual, Step::mix), "softmax(Q K^T / √16) V");
}

TEST(WholeFormula, has_the_mask_and_the_bias_inside) {
    LayerSettings changed = settings();
    changed.mask.push_back({MaskKind::causal});
    EXPECT_EQ(at_step(changed, Step::mask), "softmax([mask(]Q K^T / √16[)]) V");
    changed.made_bias = RelativeParameters{.made = BiasChoice{}};
    EXPECT_EQ(at_step(changed, Step::relative_bias), "softmax(mask(Q K^T / √16[ + B])) V");
    EXPECT_EQ(at_step(changed, Step::mask), "softmax([mask(]Q K^T / √16 + B[)]) V");
}

TEST(WholeFormula, is_that_of_the_score) {
    const LayerSettings additive = settings(Score::additive);
    EXPECT_EQ(at_step(additive, Step::score_key), "softmax(v^T tanh(Q W_sq^T + [K W_s^T])) V");
    EXPECT_EQ(at_step(additive, Step::products), "softmax([v^T tanh(]Q W_sq^T[ + ]K W_s^T[)]) V");
    // Without a temperature the step changes nothing.
    EXPECT_EQ(at_step(additive, Step::scale), "softmax([v^T tanh(Q W_sq^T + K W_s^T)]) V");
    EXPECT_EQ(at_step(settings(Score::cosine), Step::products),
              "softmax([(]Q / ‖Q‖[) (]K / ‖K‖[)^T]) V");
    EXPECT_EQ(at_step(settings(Score::general), Step::products), "softmax([Q (]K W_s^T[)^T]) V");
    EXPECT_EQ(at_step(settings(Score::location), Step::products), "softmax([Q ]W_s[^T]) V");
    EXPECT_EQ(at_step(settings(Score::dot), Step::products), "softmax([Q K^T]) V");
}

TEST(WholeFormula, follows_the_other_settings) {
    LayerSettings changed = settings();
    changed.attention.temperature = 2;
    changed.attention.variant.dropout.attention = 0.5F;
    changed.attention.variant.sum_over = SumOver::queries;
    EXPECT_EQ(at_step(changed, Step::scale),
              "transpose(dropout(softmax(Q K^T[ / √16 / 2]), 0.5)) V");
    changed.attention.variant.weights_from = Weighting::max;
    EXPECT_EQ(at_step(changed, Step::turn),
              "[transpose(]dropout(argmax(Q K^T / √16 / 2), 0.5)[)] V");
    EXPECT_EQ(at_step(settings(), Step::mix, true), "[0 · ]softmax(Q K^T / √16)[ V]");
}

TEST(WholeFormula, of_a_performer_has_its_features) {
    Layer layer;
    layer.features = make_result(Matrix::Zero(8, 16));
    EXPECT_EQ(at_step(settings(), Step::score_query, false, layer),
              "([Φ_q] Φ_k^T / (Σ [Φ_q] Φ_k^T + 10^−8)) V");
}

TEST(WholeFormula, of_cross_attention_lights_its_two_projections) {
    LayerSettings cross = settings();
    cross.cross = true;
    EXPECT_EQ(at_step(cross, Step::qkv), "softmax([Q] K^T / √16) V");
    EXPECT_EQ(at_step(cross, Step::key_value), "softmax(Q [K^T] / √16) [V]");
}

}  // namespace
}  // namespace headlight
