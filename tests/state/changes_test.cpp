#include "state/changes.h"

#include <gtest/gtest.h>

#include "models.h"
#include "support.h"

// Which changes the badge in the top bar names, and "reset all" reverts.
namespace headlight {
namespace {

using testing::Desk;
using testing::model_files;
using testing::small_state;

std::vector<std::string> changed(Desk& desk) {
    std::vector<std::string> names;
    for (const RecipeField* field : changed_fields(desk.state().recipe, *desk->trace()))
        names.emplace_back(field->name);
    return names;
}

using Names = std::vector<std::string>;

State usual_state() {
    State state;
    state.recipe.image = "a.ppm";
    return state;
}

TEST(Changes, there_are_none_at_first) {
    Desk desk(usual_state(), model_files());
    EXPECT_EQ(changed(desk), Names{});
    ASSERT_TRUE(desk.does("open-model vit/model.safetensors"));
    EXPECT_EQ(changed(desk), Names{});
    // Selections and additional computations change no number.
    ASSERT_TRUE(desk.does("layer 2"));
    ASSERT_TRUE(desk.does("set rollout mean"));
    ASSERT_TRUE(desk.does("set theme light"));
    EXPECT_EQ(changed(desk), Names{});
}

TEST(Changes, are_named_in_the_order_of_the_table) {
    Desk desk(usual_state(), model_files());
    ASSERT_TRUE(desk.does("open-model vit/model.safetensors"));
    ASSERT_TRUE(desk.does("set positions none"));
    ASSERT_TRUE(desk.does("set temperature 0.312"));
    ASSERT_TRUE(desk.does("switch-head 1 2"));
    EXPECT_EQ(changed(desk), (Names{"temperature", "positions", "switched_off"}));
    ASSERT_TRUE(desk.does("reset temperature"));
    EXPECT_EQ(changed(desk), (Names{"positions", "switched_off"}));
}

// Settings that the current kind of positions does not use are no changes.
TEST(Changes, of_positions_are_those_of_the_present_kind) {
    Desk desk(usual_state(), model_files());
    ASSERT_TRUE(desk.does("set position_bias distance"));
    ASSERT_TRUE(desk.does("set position_strength 2"));
    ASSERT_TRUE(desk.does("set position_seed 3"));
    EXPECT_EQ(changed(desk), Names{});
    ASSERT_TRUE(desk.does("set positions relative"));
    EXPECT_EQ(changed(desk), (Names{"positions", "position_bias", "position_strength"}));
    ASSERT_TRUE(desk.does("set position_bias drawn"));
    EXPECT_EQ(changed(desk), (Names{"positions", "position_strength", "position_seed"}));
    ASSERT_TRUE(desk.does("set positions learned"));
    EXPECT_EQ(changed(desk), (Names{"positions", "position_seed"}));
    ASSERT_TRUE(desk.does("set position_base 50"));
    EXPECT_EQ(changed(desk), (Names{"positions", "position_seed"}));
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    EXPECT_EQ(changed(desk), Names{"position_base"});
}

TEST(Changes, a_size_is_said_once) {
    Desk desk(usual_state(), model_files());
    ASSERT_TRUE(desk.does("set image_size 96"));
    EXPECT_EQ(changed(desk), Names{"image_size"});
    ASSERT_TRUE(desk.does("set image_width 64"));
    EXPECT_EQ(changed(desk), (Names{"image_height", "image_width"}));
}

TEST(Changes, the_positions_that_a_layer_is_given_anyway_are_none) {
    Desk desk(usual_state());
    ASSERT_TRUE(desk.does("set positions sinusoidal"));
    EXPECT_EQ(changed(desk), Names{});
    ASSERT_TRUE(desk.does("set positions none"));
    EXPECT_EQ(changed(desk), Names{"positions"});
}

// Each field of the table is either named when it differs, or is no change to the model: picture,
// model, selected layer, rollout.
TEST(Changes, every_field_that_changes_the_model_is_named) {
    Desk desk(usual_state(), model_files());
    const Trace& bare = *desk->trace();
    for (const RecipeField& field : recipe_fields()) {
        if (field.kind == FieldKind::structure || is_path(field.kind) ||
            field.kind == FieldKind::text || !applies(field, bare))
            continue;
        const std::string usual = field.get(Recipe{});
        std::string other;
        for (const std::string& value :
             {std::string("17"), std::string("0.5 0.25 0.125"), std::string("true"),
              std::string("causal"), std::string("0.25"), std::string("3")})
            try {
                Recipe recipe;
                field.set(recipe, value);
                if (field.get(recipe) != usual) other = value;
            } catch (const ValueError&) {
            }
        for (const std::string_view choice : field.choices)
            if (choice != usual && choice != "sinusoidal") other = choice;
        Recipe recipe;
        ASSERT_FALSE(other.empty()) << field.name;
        const PositionKind usual_kind = recipe.position.kind;
        for (const PositionInfo& kind : all_positions())
            if (!field.is_shown(recipe, bare)) recipe.position.kind = kind.id;
        if (field.name == "dropout_seed") recipe.variant.dropout.output = 0.5F;
        if (field.name == "query_seed") recipe.queries = 2;
        if (!field.is_shown(recipe, bare)) recipe.position.kind = usual_kind;
        field.set(recipe, other);
        EXPECT_EQ(is_changed(field, recipe, bare),
                  field.group != FieldGroup::rollout && field.is_shown(recipe, bare))
            << field.name << " " << other;
    }
}

// Rotary positions have another default base.
TEST(Changes, the_usual_base_of_another_kind_is_no_change_of_its_own) {
    Desk desk(usual_state(), model_files());
    ASSERT_TRUE(desk.does("set positions rotary"));
    EXPECT_EQ(changed(desk), Names{"positions"});
    ASSERT_TRUE(desk.does("set position_base 50"));
    EXPECT_EQ(changed(desk), (Names{"positions", "position_base"}));
}

TEST(Changes, reset_all_takes_back_all_of_them_and_nothing_else) {
    Desk desk(usual_state(), model_files());
    ASSERT_TRUE(desk.does("open-model vit/model.safetensors"));
    ASSERT_TRUE(desk.does("layer 2"));
    ASSERT_TRUE(desk.does("set rollout max"));
    const Recipe made = desk.state().recipe;
    for (const char* line : {"set temperature 0.312", "set positions none", "set mask causal",
                             "switch-head 1 2", "set image_size 96", "set scale 0.5"})
        ASSERT_TRUE(desk.does(line)) << line;
    EXPECT_EQ(changed(desk).size(), 6U);
    const Recipe changed_recipe = desk.state().recipe;
    ASSERT_TRUE(desk.does("reset all"));
    EXPECT_EQ(desk.state().recipe, made);
    EXPECT_EQ(changed(desk), Names{});
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().recipe, changed_recipe);
}

}  // namespace
}  // namespace headlight
