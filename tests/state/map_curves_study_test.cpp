#include "state/map_curves_study.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "models.h"
#include "support.h"

namespace headlight {
namespace {

using ::headlight::testing::Desk;

std::vector<MapCurves> curves_of(const MapCurvesAsked& question) {
    std::atomic<float> progress = 0;
    const StopFlag stop;
    std::vector<MapCurves> found = kMapCurves.compute(question, {progress, stop, {}});
    EXPECT_FLOAT_EQ(progress, 1);
    return found;
}

// From the patches on, as `headlight curves` computes them: equal to the last bit.
TEST(MapCurvesStudy, has_the_numbers_of_the_command_line_for_each_order) {
    Desk desk;
    const auto& trace = desk->trace();
    const MapCurvesAsked question{
        trace, {}, rankings_beside(MapMethod::relevance, *trace, {}), Index{1}};
    const std::vector<PatchRanking> expected{MapMethod::relevance, MapMethod::last_attention,
                                             MapMethod::rollout, std::nullopt};
    EXPECT_EQ(question.rankings, expected);
    const std::vector<MapCurves> found = curves_of(question);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        MapCurvesQuestion asked;
        asked.ranking = expected[i];
        asked.of_class = 1;
        const MapCurves alone = map_curves(back_to_patches(*trace), {}, asked);
        EXPECT_EQ(found[i].about.index, 1);
        EXPECT_EQ(found[i].taken, alone.taken);
        EXPECT_EQ(found[i].curves.deletion.probability, alone.curves.deletion.probability) << i;
        EXPECT_EQ(found[i].curves.insertion.probability, alone.curves.insertion.probability) << i;
        EXPECT_EQ(found[i].curves.deletion.area, alone.curves.deletion.area) << i;
        // Nothing hidden and everything shown are the same picture.
        EXPECT_NEAR(found[i].curves.deletion.probability.front(),
                    found[i].curves.insertion.probability.back(), 1e-6);
    }
}

TEST(MapCurvesStudy, compares_a_method_with_others_once) {
    Desk desk;
    const std::vector<PatchRanking> expected{MapMethod::rollout, MapMethod::last_attention,
                                             std::nullopt};
    EXPECT_EQ(rankings_beside(MapMethod::rollout, *desk->trace(), {}), expected);
}

TEST(MapCurvesStudy, asks_the_same_for_another_layer_and_not_for_another_class) {
    Desk desk;
    const MapCurvesAsked one{desk->trace(), {}, {MapMethod::legrad}, Index{1}};
    MapCurvesAsked other = one;
    EXPECT_EQ(one, other);
    other.of_class = 2;
    EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace headlight
