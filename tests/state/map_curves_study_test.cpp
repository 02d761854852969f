#include "state/map_curves_study.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "encoder/runner.h"
#include "models.h"

// Deletion and insertion curves of a class map beside other orders.
namespace headlight {
namespace {

std::shared_ptr<const Trace> trace_with_classes(int layer = 0) {
    Recipe recipe;
    recipe.image = "a.ppm";
    recipe.weights = "timm/model.safetensors";
    recipe.layer = layer;
    return Runner(testing::model_files()).run(recipe);
}

// From the patches on, as `headlight curves` computes them: equal to the last bit.
TEST(MapCurvesStudy, has_the_numbers_of_the_command_line_for_each_order) {
    const auto trace = trace_with_classes();
    const std::vector<PatchRanking> expected{MapMethod::relevance, MapMethod::last_attention,
                                             MapMethod::rollout, std::nullopt};
    const MapCurvesAsked question{
        trace, {}, rankings_beside(MapMethod::relevance, *trace, {}), Index{1}};
    ASSERT_EQ(question.rankings, expected);
    Studies studies;
    studies.ask(kMapCurves, question);
    while (studies.busy(kMapCurves)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto said = studies.last(kMapCurves);
    ASSERT_TRUE(said && said->whole && said->error.empty());
    ASSERT_EQ(said->answer.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        MapCurvesQuestion asked;
        asked.ranking = expected[i];
        asked.of_class = 1;
        const MapCurves alone = map_curves(back_to_patches(*trace), {}, asked);
        const auto& [deletion, insertion] = said->answer[i].curves;
        EXPECT_EQ(said->answer[i].about.index, 1);
        EXPECT_EQ(said->answer[i].taken, alone.taken);
        EXPECT_EQ(deletion.probability, alone.curves.deletion.probability) << i;
        EXPECT_EQ(insertion.probability, alone.curves.insertion.probability) << i;
        EXPECT_EQ(deletion.area, alone.curves.deletion.area) << i;
        EXPECT_EQ(insertion.area, alone.curves.insertion.area) << i;
        EXPECT_NEAR(deletion.probability.front(), insertion.probability.back(), 1e-6);
    }
}

TEST(MapCurvesStudy, compares_a_method_with_others_once) {
    const std::vector<PatchRanking> expected{MapMethod::rollout, MapMethod::last_attention,
                                             std::nullopt};
    EXPECT_EQ(rankings_beside(MapMethod::rollout, *trace_with_classes(), {}), expected);
}

TEST(MapCurvesStudy, another_class_is_another_question) {
    const MapCurvesAsked one{trace_with_classes(), {}, {MapMethod::legrad}, Index{1}};
    MapCurvesAsked other = one;
    EXPECT_EQ(one, other);
    other.of_class = 2;
    EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace headlight
