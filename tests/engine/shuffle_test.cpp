#include "encoder/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "encoder/runner.h"
#include "model_files.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"

namespace headlight {
namespace {

FileReader with_picture(const FileReader& read) {
    return [read](const std::string& path) -> File {
        return path == "a" ? FileBytes(picture(50, 47)) : read(path);
    };
}

Recipe recipe_of(const std::string& model) {
    Recipe recipe;
    recipe.image = "a";
    recipe.weights = model;
    return recipe;
}

std::shared_ptr<const Trace> run(const Recipe& recipe) {
    return Runner(with_picture(read_disk)).run(recipe);
}

std::vector<Index> drawn_for(const Trace& trace) {
    return drawn_order(trace.view(Tensor::patches).rows, 3);
}

TEST(DrawnOrder, has_every_number_once_and_is_the_same_for_a_seed) {
    const std::vector<Index> order = drawn_order(100, 7);
    EXPECT_EQ(std::set<Index>(order.begin(), order.end()).size(), 100);
    EXPECT_EQ(*std::ranges::max_element(order), 99);
    EXPECT_EQ(order, drawn_order(100, 7));
    EXPECT_NE(order, drawn_order(100, 8));
    EXPECT_EQ(drawn_order(1, 0), std::vector<Index>{0});
}

TEST(Shuffle, without_positions_the_output_is_the_same_set) {
    for (const std::string& model :
         {GoldenModel{"timm"}.path(), GoldenModel{"timm_registers"}.path(), std::string()}) {
        Recipe recipe = recipe_of(model);
        const auto trace = run(recipe);
        const ShuffleEffects effects = shuffle_patches(*trace, recipe, drawn_for(*trace));
        EXPECT_LT(effects.without_positions.difference, 1e-5 * effects.without_positions.largest)
            << model;
        EXPECT_GT(effects.with_positions.difference, 1e-3 * effects.with_positions.largest)
            << model;
        EXPECT_EQ(effects.without_positions.answer, effects.without_positions.answer_shuffled);
    }
}

TEST(Shuffle, in_its_own_order_nothing_changes) {
    Recipe recipe = recipe_of(GoldenModel{"timm"}.path());
    const auto trace = run(recipe);
    std::vector<Index> order(static_cast<std::size_t>(trace->view(Tensor::patches).rows));
    std::iota(order.begin(), order.end(), Index{0});
    const ShuffleEffects effects = shuffle_patches(*trace, recipe, order);
    EXPECT_EQ(effects.with_positions.difference, 0);
    EXPECT_EQ(effects.with_positions.largest,
              trace->view(Tensor::encoded).eigen().cwiseAbs().maxCoeff())
        << "it is the run that the trace shows";
}

TEST(Shuffle, a_mask_tells_the_order_too) {
    Recipe recipe = recipe_of("");
    recipe.mask = {{MaskKind::causal}};
    const auto trace = run(recipe);
    EXPECT_GT(shuffle_patches(*trace, recipe, drawn_for(*trace)).without_positions.difference,
              1e-3);
}

TEST(Shuffle, refuses_what_has_no_patches_of_its_own) {
    const auto trace = run(recipe_of(GoldenModel{"t2t"}.path()));
    EXPECT_THROW(static_cast<void>(shuffle_patches(*trace, {}, {0, 1})), RecipeError);
    const auto plain = run(recipe_of(""));
    EXPECT_THROW(static_cast<void>(shuffle_patches(*plain, recipe_of(""), {0, 1})), RecipeError);
}

}  // namespace
}  // namespace headlight
