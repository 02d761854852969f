#include "state/fields.h"

#include <gtest/gtest.h>

#include <clocale>
#include <set>

#include "kernels/counted.h"
#include "program/values.h"
#include "scene/random_scene.h"
#include "scene/scene_file.h"
#include "state/command.h"

namespace headlight {
namespace {

const Field& field(std::string_view name) {
    const Field* found = find_field(name);
    if (!found) throw std::logic_error("no such field");
    return *found;
}

std::string complaint(const Field& f, const std::string& text) {
    State state;
    try {
        f.set(state, text);
    } catch (const CommandError& e) {
        EXPECT_EQ(state, State{}) << "a refused value changed something";
        return e.what();
    }
    return {};
}

TEST(Fields, all_that_can_be_set_is_listed_once_with_words) {
    std::set<std::string_view> names;
    for (const Field& f : all_fields()) {
        EXPECT_TRUE(names.insert(f.name).second) << f.name;
        EXPECT_FALSE(f.label.empty()) << f.name;
        EXPECT_TRUE(f.help.ends_with('.')) << f.name;
        EXPECT_EQ(find_field(f.name), &f);
    }
    EXPECT_EQ(find_field("nonsense"), nullptr);
    EXPECT_EQ(find_field(""), nullptr);
}

TEST(Fields, setting_what_is_there_changes_nothing) {
    for (const Field& f : all_fields()) {
        State state;
        f.set(state, f.get(state));
        EXPECT_EQ(state, State{}) << f.name;
    }
}

// The settings of a rollout and of a signal need one.
State with_all_parts() {
    State state;
    state.recipe.rollout.emplace();
    state.recipe.tokens = Signal{};
    return state;
}

TEST(Fields, every_choice_can_be_chosen) {
    for (const Field& f : all_fields()) {
        EXPECT_EQ(f.kind == FieldKind::choice, !f.choices.empty()) << f.name;
        for (const std::string_view choice : f.choices) {
            State state = with_all_parts();
            f.set(state, std::string(choice));
            EXPECT_EQ(f.get(state), choice) << f.name;
        }
    }
}

TEST(Fields, numbers_reach_both_ends_and_not_beyond) {
    for (const Field& f : all_fields()) {
        if (f.kind != FieldKind::integer && f.kind != FieldKind::number) continue;
        EXPECT_LT(f.low, f.high) << f.name;
        for (const double end : {f.low, f.high}) {
            State state = with_all_parts();
            f.set(state, number_text(end));
            EXPECT_EQ(f.get(state), number_text(end)) << f.name;
        }
        for (const double beyond : {f.low - 1, f.high + 1})
            EXPECT_FALSE(complaint(f, number_text(beyond)).empty()) << f.name << " " << beyond;
    }
}

TEST(Fields, what_is_not_a_value_is_refused_naming_the_field) {
    for (const Field& f : all_fields()) {
        if (f.kind == FieldKind::text || is_path(f.kind)) continue;  // any value is valid
        for (const char* text :
             {"", " ", "abc", "1e99", "-1e99", "nan", "inf", "-inf", "1 ", " 1", "0x10", "1,5",
              "1.5.", "+1", "99999999999999999999", "1e", "--1", "TRUE", "1\n"}) {
            const std::string why = complaint(f, text);
            EXPECT_TRUE(why.starts_with(std::string(f.name) + ": expected ")) << f.name << text;
            // For compound values, the error names only the invalid part.
            const bool parts = f.kind == FieldKind::numbers || f.kind == FieldKind::structure;
            EXPECT_TRUE(parts || why.find(in_quotes(std::string_view(text))) != std::string::npos)
                << why;
        }
    }
}

TEST(Fields, refusals_say_what_was_expected) {
    EXPECT_EQ(complaint(field("heads"), "65"),
              "heads: expected an integer from 1 to 64, found \"65\".");
    EXPECT_EQ(complaint(field("heads"), "2.0"),
              "heads: expected an integer from 1 to 64, found \"2.0\".");
    EXPECT_EQ(complaint(field("temperature"), "0"),
              "temperature: expected a number from 0.05 to 20, found \"0\".");
    EXPECT_EQ(complaint(field("framing"), "cut"),
              "framing: expected crop, fit, stretch or model, found \"cut\".");
    EXPECT_EQ(complaint(field("bias"), "1"), "bias: expected true or false, found \"1\".");
    EXPECT_LT(complaint(field("scale"), std::string(100000, '1')).size(), 300U);
}

TEST(Fields, of_a_figure_are_numbers_of_layers_and_heads) {
    for (const char* name : {"figure_layers", "figure_heads"}) {
        for (const char* good : {"all", "3", "1,4-6", "12-12"})
            EXPECT_EQ(complaint(field(name), good), "");
        for (const char* bad : {"", "0", "1,", "3-1", "x", "1 2", "99999999999999999999"})
            EXPECT_NE(complaint(field(name), bad).find("from 1"), std::string::npos) << bad;
        for (const char* twice : {"1,1", "1-4,2", "3,1-3", "5-6,6-8"})
            EXPECT_NE(complaint(field(name), twice).find("each number once"), std::string::npos)
                << twice;
    }
}

TEST(Fields, long_texts_are_cut_between_letters) {
    std::string umlauts;
    for (int i = 0; i < 60; ++i) umlauts += "xä";
    const std::string cut = in_quotes(std::string_view(umlauts));
    EXPECT_LE(cut.size(), 90U);
    EXPECT_TRUE(cut.ends_with("ä…\"") || cut.ends_with("x…\"")) << cut;
}

TEST(Fields, counts_agree_with_their_noun) {
    EXPECT_EQ(counted(1, "patch"), "1 patch");
    EXPECT_EQ(counted(2, "patch"), "2 patches");
    EXPECT_EQ(counted(0, "query"), "0 queries");
    EXPECT_EQ(counted(3, "key"), "3 keys");
    EXPECT_EQ(counted(10, "class"), "10 classes");
    EXPECT_EQ(counted(1, "token"), "1 token");
}

TEST(Fields, numbers_keep_every_bit) {
    const Field& temperature = field("temperature");
    for (int i = 1; i < 5000; ++i) {
        State state, again;
        state.recipe.temperature = static_cast<float>(i) * 0.0037F + 0.05F;
        temperature.set(again, temperature.get(state));
        ASSERT_EQ(again.recipe.temperature, state.recipe.temperature);
    }
}

TEST(Fields, the_locale_does_not_matter) {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) {
        if (!std::setlocale(LC_ALL, name)) continue;
        State state;
        field("temperature").set(state, "0.5");
        EXPECT_EQ(field("temperature").get(state), "0.5");
        EXPECT_FALSE(complaint(field("temperature"), "0,5").empty());
    }
    std::setlocale(LC_ALL, "C");
}

TEST(Fields, toggles_understand_on_and_off) {
    State state;
    field("lecture").set(state, "on");
    EXPECT_EQ(field("lecture").get(state), "true");
    field("lecture").set(state, "off");
    EXPECT_FALSE(state.look.lecture);
}

TEST(Fields, image_size_sets_a_square) {
    State state;
    state.recipe.image_width = 99;
    field("image_size").set(state, "224");
    EXPECT_EQ(state.recipe.image_height, 224);
    EXPECT_EQ(state.recipe.image_width, 224);
    field("image_height").set(state, "50");
    EXPECT_EQ(field("image_size").get(state), "50");
    EXPECT_EQ(state.recipe.image_width, 224);
}

TEST(Fields, the_stride_follows_the_patches_while_they_touch) {
    State state;
    field("patch_size").set(state, "8");
    EXPECT_EQ(state.recipe.patches.stride, std::nullopt);
    field("stride").set(state, "8");
    field("patch_size").set(state, "9");
    EXPECT_EQ(state.recipe.patches.stride, std::nullopt);
    field("stride").set(state, "4");
    field("patch_size").set(state, "20");
    EXPECT_EQ(state.recipe.patches.stride, 4);
    EXPECT_THROW(field("patch_size").set(state, "0"), CommandError);
    EXPECT_EQ(state.recipe.patches.size, 20);
}

TEST(Fields, the_scale_is_a_number_or_the_default) {
    State state;
    EXPECT_EQ(field("scale").get(state), "default");
    field("scale").set(state, "0.25");
    EXPECT_EQ(state.recipe.scale, 0.25F);
    EXPECT_EQ(field("scale").get(state), "0.25");
    field("scale").set(state, "-2");
    EXPECT_EQ(state.recipe.scale, -2.0F);
    for (const char* text : {"0", "-0", "1e-99", "default ", "2e6"})
        EXPECT_FALSE(complaint(field("scale"), text).empty()) << text;
    field("scale").set(state, "default");
    EXPECT_FALSE(state.recipe.scale);
}

TEST(Fields, a_picture_is_a_file_or_a_scene) {
    State state;
    field("scene").set(state, to_json(random_scene(5)));
    EXPECT_EQ(state.recipe.scene, random_scene(5));
    State again;
    field("scene").set(again, field("scene").get(state));
    EXPECT_EQ(again, state);
    field("image").set(state, "a.png");
    EXPECT_EQ(state.recipe.scene, std::nullopt);
    EXPECT_EQ(field("scene").get(state), "none");
}

TEST(Fields, heads_are_switched_off_by_their_numbers) {
    State state;
    field("switched_off").set(state, "4.4 1.2  4.3 4.4");
    EXPECT_EQ(state.recipe.switched_off, (std::vector<HeadPlace>{{0, 1}, {3, 2}, {3, 3}}));
    EXPECT_EQ(field("switched_off").get(state), "1.2 4.3 4.4");
    for (const char* text : {"1", "0.1", "1.0", "1.2.3", "a.b", ".", "1.2 none"})
        EXPECT_FALSE(complaint(field("switched_off"), text).empty()) << text;
    field("switched_off").set(state, "none");
    EXPECT_EQ(state, State{});
}

TEST(Fields, impossible_combinations_are_left_to_the_runner) {
    State state;
    field("channels").set(state, "64");
    field("heads").set(state, "5");
    EXPECT_EQ(state.recipe.heads, 5);
}

}  // namespace
}  // namespace headlight
