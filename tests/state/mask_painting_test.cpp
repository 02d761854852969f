#include <gtest/gtest.h>

#include "program/mask_text.h"
#include "support.h"

// The commands for painting a mask. The small picture has 16 patches.
namespace headlight {
namespace {

using testing::Desk;

std::string mask_of(const Desk& desk) { return mask_text(desk.state().recipe.mask); }

TEST(MaskPainting, paints_and_frees_cells) {
    Desk desk;
    ASSERT_TRUE(desk.does("mask-cells blocked 3 0-5"));
    EXPECT_EQ(mask_of(desk), "blocked 16x16 3.0-5");
    ASSERT_NE(desk->trace()->node(Step::mask), nullptr);
    EXPECT_EQ(desk->trace()->view(Tensor::attention, 0, 0)(3, 5), 0);
    EXPECT_GT(desk->trace()->view(Tensor::attention, 0, 0)(3, 6), 0);
    ASSERT_TRUE(desk.does("mask-cells free 0-15 5"));
    EXPECT_EQ(mask_of(desk), "blocked 16x16 3.0-4");
    ASSERT_TRUE(desk.does("mask-cells free 3 0-4"));
    EXPECT_EQ(mask_of(desk), "none");
}

TEST(MaskPainting, hides_tokens_and_shows_them_again) {
    Desk desk;
    ASSERT_TRUE(desk.does("set mask causal"));
    ASSERT_TRUE(desk.does("mask-keys blocked 2-4"));
    ASSERT_TRUE(desk.does("mask-keys blocked 9"));
    ASSERT_TRUE(desk.does("mask-keys free 3"));
    EXPECT_EQ(mask_of(desk), "causal + keys 2 4 9");
    ASSERT_TRUE(desk.does("mask-keys free 0-15"));
    EXPECT_EQ(mask_of(desk), "causal");
}

TEST(MaskPainting, a_stroke_is_one_step_back) {
    Desk desk;
    ASSERT_TRUE(desk.does("mask-cells blocked 1 1"));
    ASSERT_TRUE(desk.does("mask-cells blocked 2 1"));
    desk->end_gesture();
    ASSERT_TRUE(desk.does("mask-cells blocked 7 7"));
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(mask_of(desk), "blocked 16x16 1-2.1");
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(mask_of(desk), "none");
}

TEST(MaskPainting, for_other_tokens_says_so_and_keeps_the_picture) {
    Desk desk;
    ASSERT_TRUE(desk.does("mask-cells blocked 1 1"));
    const auto before = desk->trace();
    ASSERT_TRUE(desk.does("set image_size 32"));
    desk.expect_notice(
        "The painted mask is for 16 queries and 16 keys, but there are 4 queries and 4 keys.");
    EXPECT_EQ(desk->trace(), before);
}

TEST(MaskPainting, refuses_what_is_no_cell) {
    Desk desk;
    for (const char* line :
         {"mask-cells blocked 16 0", "mask-cells blocked 0 16", "mask-cells black 0 0",
          "mask-cells blocked 5-4 0", "mask-cells blocked x 0", "mask-cells blocked -1 0",
          "mask-keys blocked 16", "mask-keys blocked 3-", "mask-keys hidden 3", "mask-keys free"}) {
        EXPECT_FALSE(desk.does(line)) << line;
        EXPECT_EQ(mask_of(desk), "none") << line;
    }
}

}  // namespace
}  // namespace headlight
