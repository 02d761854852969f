#include "encoder/score_maps.h"

#include <gtest/gtest.h>

#include "encoder/runner.h"
#include "naive.h"
#include "ops/limits.h"
#include "picture.h"

// The same layer under all score functions, from one trace.
namespace headlight::score_maps_test {
namespace {

FileReader read_picture() {
    return [](const std::string&) { return picture(50, 47); };
}

Recipe small_recipe() {
    Recipe recipe;
    recipe.image = "picture";
    recipe.image_height = recipe.image_width = 32;
    recipe.patches.size = 8;
    recipe.channels = 12;
    recipe.heads = 3;
    recipe.temperature = 0.7F;
    return recipe;
}

// Equals a walk with that score function, bit for bit.
void expect_scores_of_walks(const Recipe& recipe) {
    const auto trace = Runner(read_picture()).run(recipe);
    ASSERT_TRUE(has_scores_to_choose(*trace));
    const std::vector<ScoreMap> maps = maps_of_scores(*trace, recipe);
    ASSERT_EQ(maps.size(), all_scores().size());
    for (const ScoreMap& map : maps) {
        Recipe chosen = recipe;
        chosen.variant.score = map.score;
        if (map.score != Score::scaled_dot) chosen.scale.reset();
        const auto walk = Runner(read_picture()).run(chosen);
        ASSERT_NE(map.scores, nullptr) << name_of(map.score) << ": " << map.why_not;
        EXPECT_TRUE(naive::identical(map.scores->view(), walk->all(Tensor::scores)))
            << name_of(map.score);
        EXPECT_TRUE(naive::identical(map.weights->view(), walk->all(Tensor::attention)))
            << name_of(map.score);
        EXPECT_EQ(map.why_not, "");
    }
}

TEST(ScoreMaps, are_those_of_walks_with_each_score) { expect_scores_of_walks(small_recipe()); }

TEST(ScoreMaps, follow_whatever_the_layer_has_now) {
    Recipe recipe = small_recipe();
    recipe.variant.score = Score::additive;
    recipe.mask = {{MaskKind::causal}};
    recipe.layers = 2;
    recipe.layer = 0;  // as a later layer it would have other inputs
    expect_scores_of_walks(recipe);
    recipe.variant.score.reset();
    recipe.scale = 0.3F;
    recipe.variant.weights_from = Weighting::max;
    expect_scores_of_walks(recipe);
}

TEST(ScoreMaps, without_projections_have_no_learned_weights) {
    Recipe recipe = small_recipe();
    recipe.variant.projections = Projections::none;
    recipe.heads.reset();
    const auto trace = Runner(read_picture()).run(recipe);
    for (const ScoreMap& map : maps_of_scores(*trace, recipe)) {
        const bool learned = !info(map.score).weight.empty();
        EXPECT_EQ(map.scores == nullptr, learned) << name_of(map.score);
        EXPECT_EQ(map.why_not.empty(), !learned) << map.why_not;
    }
}

TEST(ScoreMaps, a_walk_without_projections_refuses_a_learned_score) {
    Recipe recipe = small_recipe();
    recipe.variant.projections = Projections::none;
    recipe.variant.score = Score::general;
    recipe.heads.reset();
    EXPECT_THROW(Runner(read_picture()).run(recipe), AttentionError);
}

TEST(ScoreMaps, can_be_stopped) {
    const auto trace = Runner(read_picture()).run(small_recipe());
    EXPECT_THROW(maps_of_scores(*trace, small_recipe(), [] { return true; }), Stopped);
}

}  // namespace
}  // namespace headlight::score_maps_test
