#include <gtest/gtest.h>

#include "analysis/region_share.h"
#include "state/region_study.h"
#include "state/session.h"
#include "support.h"

// The commands for drawing a region. The small picture has 4 × 4 patches.
namespace headlight {
namespace {

using ::headlight::testing::Desk;

std::string region_of(const Desk& desk) { return text_of_patches(desk.state().region); }

TEST(RegionCommands, draw_and_clear) {
    Desk desk;
    ASSERT_TRUE(desk.does("region-patches in 5-6"));
    ASSERT_TRUE(desk.does("region-patches in 9,10"));
    EXPECT_EQ(region_of(desk), "5-6,9-10");
    ASSERT_TRUE(desk.does("region-patches out 6"));
    EXPECT_EQ(region_of(desk), "5,9-10");
    desk->end_gesture();
    ASSERT_TRUE(desk.does("region-rectangle 15 10"));
    EXPECT_EQ(region_of(desk), "10-11,14-15");
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(region_of(desk), "5,9-10");
    ASSERT_TRUE(desk.does("region-clear"));
    EXPECT_TRUE(desk.state().region.empty());
}

TEST(RegionCommands, a_stroke_is_one_step_back) {
    Desk desk;
    ASSERT_TRUE(desk.does("region-patches in 5"));
    ASSERT_TRUE(desk.does("region-patches in 6"));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_TRUE(desk.state().region.empty());
}

TEST(RegionCommands, refuse_what_is_no_patch) {
    Desk desk;
    EXPECT_FALSE(desk.does("region-patches in 16"));
    desk.expect_notice("region-patches: expected patches from 0 to 15 such as 3-9,17");
    EXPECT_FALSE(desk.does("region-rectangle 0 16"));
    EXPECT_FALSE(desk.does("region-mask nowhere.png"));
    desk.expect_notice("nowhere.png");
    EXPECT_TRUE(desk.state().region.empty());
}

// The picture itself is a mask of the right size.
TEST(RegionCommands, take_a_mask) {
    Desk desk;
    ASSERT_TRUE(desk.does("region-mask a.ppm"));
    EXPECT_FALSE(desk.state().region.empty());
    EXPECT_EQ(desk.state().region.rows, 4);
}

TEST(Region, is_kept_in_the_session) {
    State state = testing::small_state();
    state.region = {4, 4, {1, 5, 6}};
    EXPECT_EQ(from_json(to_json(state), "s").region, state.region);
    for (const char* wrong : {R"({"rows": 4, "cols": 4, "patches": "16"})", R"({"rows": 4})",
                              R"({"rows": 4, "cols": 4, "patches": [1]})",
                              R"({"rows": 4096, "cols": 4096, "patches": "0-16777215"})"})
        EXPECT_THROW(from_json(R"({"region": )" + std::string(wrong) + "}", "s"), SessionError)
            << wrong;
}

// The study's results from kept queries and keys equal the full layer's, bit for bit.
TEST(Region, study_gives_the_numbers_of_the_trace) {
    Desk desk;
    const Region region{4, 4, {5, 6, 9}};
    std::atomic<float> progress = 0;
    const StopFlag stop;
    const RegionFinder::Run run{progress, stop, {}};
    const RegionShares found = kWithinRegion.compute({desk->trace(), desk->summary(), region}, run);
    EXPECT_EQ(progress, 1);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0], shares_within_region(*desk->trace(), region));
}

}  // namespace
}  // namespace headlight
