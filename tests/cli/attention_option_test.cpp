#include "cli/attention_option.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cli/errors.h"

// Tests --attention and the table of fields that it is generated from.
namespace headlight::cli {
namespace {

Model bare_layer() {
    Model model;
    model.layers.resize(1);
    return model;
}

// A layer with an MLP, which has more fields.
Model block() {
    Model model = bare_layer();
    model.layers[0].mlp_in.weight = make_result(Matrix(Matrix::Zero(1, 1)));
    model.norms_may_follow = true;
    return model;
}

// The documented keys, each with a JSON value and the resulting field value.
struct Sample {
    std::string_view field, json, text;
};
const std::map<std::string_view, Sample> kSamples{
    {"heads", {"heads", "100", "100"}},  // also beyond what the window offers
    {"scale", {"scale", "0.5", "0.5"}},
    {"temperature", {"temperature", "-1", "-1"}},  // which the engine refuses
    {"skip", {"skip", R"("value")", "value"}},
    {"mask", {"mask", R"("causal")", "causal"}},
    {"patch", {"patch_size", "7", "7"}},
    {"stride", {"stride", "3", "3"}},
    {"ragged", {"ragged", R"("crop")", "crop"}},
    {"positions", {"positions", R"("sinusoidal")", "sinusoidal"}},
    {"positions.base", {"position_base", "100", "100"}},
    {"positions.bias", {"position_bias", R"("distance")", "distance"}},
    {"positions.strength", {"position_strength", "2.5", "2.5"}},
    {"positions.first", {"position_first", R"("rows")", "rows"}},
    {"positions.seed", {"position_seed", "7", "7"}},
    {"score", {"score", R"("cosine")", "cosine"}},
    {"weights_from", {"weights_from", R"("max")", "max"}},
    {"projections", {"projections", R"("none")", "none"}},
    {"activation_after", {"activation_after", R"("relu")", "relu"}},
    {"sum_over", {"sum_over", R"("queries")", "queries"}},
    {"dropout.attention", {"dropout_attention", "0.5", "0.5"}},
    {"dropout.output", {"dropout_output", "0.25", "0.25"}},
    {"dropout.seed", {"dropout_seed", "7", "7"}},
    {"image_size", {"image_size", "48", "48"}},
    {"framing", {"framing", R"("fit")", "fit"}},
    {"alpha", {"alpha", R"("white")", "white"}},
    {"channels", {"color", R"("grey")", "grey"}},
    {"norm_first", {"norm_first", "true", "true"}},
    {"activation", {"activation", R"("gelu")", "gelu"}},
    {"switched_off", {"switched_off", R"("1.1")", "1.1"}},
};

TEST(AttentionOption, says_every_documented_key) {
    std::set<std::string_view> keys;
    for (const RecipeField& field : recipe_fields())
        if (!field.option.empty()) {
            EXPECT_TRUE(keys.insert(field.option).second) << field.option;
        }
    EXPECT_EQ(keys.size(), kSamples.size());
    for (const auto& [key, sample] : kSamples) {
        EXPECT_TRUE(keys.contains(key)) << key;
        const RecipeField* field = find_field(recipe_fields(), sample.field);
        ASSERT_NE(field, nullptr) << key;
        EXPECT_EQ(field->option, key);
        const std::string json = "{\"" + std::string(key) + "\": " + std::string(sample.json) + "}";
        EXPECT_EQ(field->get(parse_attention(json, Scope::image, block())), sample.text) << key;
    }
}

TEST(AttentionOption, takes_what_belongs_to_a_key_as_its_members) {
    const Recipe recipe =
        parse_attention(R"({"positions": {"kind": "sinusoidal", "base": 100}, "heads": 2})",
                        Scope::image, bare_layer());
    EXPECT_EQ(recipe.position, (PositionChoice{PositionKind::sinusoidal, 100}));
    EXPECT_EQ(recipe.heads, 2);
    for (const char* json :
         {R"({"positions": {"sort": "sinusoidal"}})", R"({"positions": {"kind": 3}})",
          R"({"positions": {"base": "100"}})", R"({"heads": {"kind": 2}})"})
        EXPECT_THROW(parse_attention(json, Scope::image, bare_layer()), UsageError) << json;
}

TEST(AttentionOption, joins_the_rules_of_a_mask) {
    const auto mask = [](const std::string& json) {
        return parse_attention("{\"mask\": " + json + "}", Scope::layer, bare_layer()).mask;
    };
    EXPECT_EQ(mask(R"("none")"), MaskRules{});
    EXPECT_EQ(mask("[]"), MaskRules{});
    EXPECT_EQ(mask(R"({"local": 2})"), (MaskRules{{MaskKind::local, {2}}}));
    EXPECT_EQ(mask(R"([{"keys": [7, 3, 7]}, "causal", {"local": 0}])"),
              (MaskRules{{MaskKind::causal}, {MaskKind::local, {0}}, {MaskKind::keys, {3, 7}}}));
    EXPECT_EQ(mask(R"(["no_self", {"blocked": "4x5 1-2.0-3"}])"),
              (MaskRules{{MaskKind::no_self}, {MaskKind::blocked, {4, 5, 5, 9, 10, 14}}}));
}

TEST(AttentionOption, refuses_what_is_no_mask_in_one_sentence) {
    for (const char* json : {"true",
                             "3",
                             "null",
                             R"("later")",
                             R"({"local": -1})",
                             R"({"local": 1.5})",
                             R"({"local": [1, 2]})",
                             R"({"local": []})",
                             R"({"causal": 1})",
                             R"({"local": "2"})",
                             R"({"keys": []})",
                             R"({"keys": [99999999999]})",
                             R"(["none", "causal"])",
                             R"(["causal", "causal"])",
                             R"([["causal"]])",
                             R"({"local": 1, "keys": [1]})",
                             R"("causal + ")",
                             R"({"blocked": 3})",
                             R"({"blocked": "4x4"})",
                             R"({"blocked": ["4x4", "0.0"]})",
                             R"({"blocked": "4x4 4.0"})"})
        try {
            parse_attention("{\"mask\": " + std::string(json) + "}", Scope::layer, bare_layer());
            ADD_FAILURE() << json;
        } catch (const UsageError& error) {
            const std::string sentence = error.what();
            EXPECT_TRUE(sentence.starts_with("--attention: ")) << sentence;
            EXPECT_NE(sentence.find("expected"), std::string::npos) << sentence;
            EXPECT_NE(sentence.find("found"), std::string::npos) << sentence;
        }
}

TEST(AttentionOption, switches_off_heads_that_the_model_has) {
    Model model;
    model.layers.resize(2);
    for (Layer& layer : model.layers) layer.attention.heads = 3;
    const auto off = [&](const std::string& json) {
        return parse_attention("{\"switched_off\": " + json + "}", Scope::image, model)
            .switched_off;
    };
    EXPECT_EQ(off(R"("2.3 1.1")"), (std::vector<HeadPlace>{{0, 0}, {1, 2}}));
    EXPECT_EQ(off(R"(["2.3", "1.1"])"), (std::vector<HeadPlace>{{0, 0}, {1, 2}}));
    EXPECT_EQ(off(R"("none")"), std::vector<HeadPlace>{});
    for (const char* json : {R"("3.1")", R"("1.4")", R"("0.1")", R"("1")", R"([])", "2.3", "[2.3]"})
        EXPECT_THROW(off(json), UsageError) << json;
    model.heads_are_known = false;  // how many heads there are is said elsewhere
    EXPECT_EQ(off(R"("1.4")"), (std::vector<HeadPlace>{{0, 3}}));
}

// A file is always named, so what only a drawn layer has is nothing to say; and queries of their
// own are given in the file of --input.
TEST(AttentionOption, says_every_field_of_the_experiment_that_a_bare_layer_has) {
    constexpr std::array groups{FieldGroup::scores, FieldGroup::mask, FieldGroup::positions,
                                FieldGroup::layer};
    for (const RecipeField& field : recipe_fields()) {
        const bool of_it =
            std::ranges::find(groups, field.group) != groups.end() && !is_path(field.kind);
        const bool asked =
            field.applies_to == AppliesTo::all || field.applies_to == AppliesTo::bare_layer;
        if (!of_it || !asked) continue;
        EXPECT_TRUE(kSamples.contains(field.option)) << field.name;
    }
}

TEST(AttentionOption, leaves_the_rest_to_the_model) {
    Model model = bare_layer();
    model.layers[0].attention.scale = 0.25F;
    const auto said = [&](const char* json) { return parse_attention(json, Scope::image, model); };
    Recipe unsaid;
    unsaid.position.kind = PositionKind::none;
    unsaid.scale = 0.25F;
    EXPECT_EQ(said(""), unsaid);
    EXPECT_EQ(said("{}"), unsaid);
    EXPECT_EQ(said(R"({"scale": null})").scale, std::nullopt);
    EXPECT_EQ(said(R"({"image_size": [48, 64]})").image_width, 64);
    for (const char* json : {R"({"skip": "model"})", R"({"heads": null})", R"({"seed": 1})"})
        EXPECT_THROW(said(json), UsageError) << json;
}

}  // namespace
}  // namespace headlight::cli
