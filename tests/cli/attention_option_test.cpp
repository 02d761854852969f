#include "cli/attention_option.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cli/errors.h"

// --attention, and the table of fields that it is made from.
namespace headlight::cli {
namespace {

Model bare_layer() {
    Model model;
    model.layers.resize(1);
    return model;
}

// The keys that are documented, each with a value as JSON, and what the field then says.
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
    {"image_size", {"image_size", "48", "48"}},
    {"framing", {"framing", R"("fit")", "fit"}},
    {"channels", {"color", R"("grey")", "grey"}},
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
        EXPECT_EQ(field->get(parse_attention(json, Scope::image, bare_layer())), sample.text)
            << key;
    }
}

// A file is always named, so what only a drawn layer has is nothing to say.
TEST(AttentionOption, says_every_field_of_the_experiment_that_a_bare_layer_has) {
    for (const RecipeField& field : recipe_fields()) {
        if (field.group != FieldGroup::experiment || !field.of_bare_layer || field.of_drawn_layer)
            continue;
        EXPECT_TRUE(kSamples.contains(field.option)) << field.name;
    }
}

TEST(AttentionOption, leaves_the_rest_to_the_model) {
    Model model = bare_layer();
    model.layers[0].attention.scale = 0.25F;
    const auto said = [&](const char* json) { return parse_attention(json, Scope::image, model); };
    Recipe unsaid;
    unsaid.position = PositionKind::none;
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
