#include <gtest/gtest.h>

#include "models.h"
#include "support.h"

// From the maps of all heads into the walk at one of them, and back.
namespace headlight {
namespace {

using testing::Desk;

TEST(OpenHead, opens_the_walk_at_its_attention_and_release_goes_back) {
    Desk desk;
    desk.does("set screen heads");
    desk.does("focus 5");
    ASSERT_TRUE(desk.does("open-head 1 3"));
    EXPECT_EQ(desk.state().look.screen, ScreenId::walk);
    EXPECT_EQ(desk.selection().step, Step::softmax);
    EXPECT_EQ(desk.selection().head, 2);
    EXPECT_TRUE(desk.selection().head_pinned);
    EXPECT_TRUE(desk.does("release"));
    EXPECT_EQ(desk.state().look.screen, ScreenId::heads);
    EXPECT_EQ(desk.selection().head, 2);
    EXPECT_EQ(desk.selection().token, 5) << "what was asked stays asked";
}

TEST(OpenHead, a_cell_that_was_pinned_since_is_let_go_first) {
    Desk desk;
    desk.does("set screen heads");
    desk.does("open-head 1 2");
    desk.does("cell 3 4");
    desk.does("release");
    EXPECT_EQ(desk.state().look.screen, ScreenId::walk);
    EXPECT_FALSE(desk.selection().col);
    desk.does("release");
    EXPECT_EQ(desk.state().look.screen, ScreenId::heads);
}

TEST(OpenHead, who_went_elsewhere_since_does_not_come_back) {
    Desk desk;
    desk.does("set screen heads");
    desk.does("open-head 1 2");
    desk.does("set screen heads");
    desk.does("set screen walk");
    desk.does("release");
    desk.does("release");
    EXPECT_EQ(desk.state().look.screen, ScreenId::walk);
}

TEST(OpenHead, is_one_step_of_undo) {
    Desk desk;
    desk.does("set screen heads");
    const State before = desk.state();
    desk.does("open-head 1 4");
    desk.does("undo");
    EXPECT_EQ(desk.state(), before);
}

TEST(OpenHead, refuses_what_there_is_not_and_changes_nothing) {
    Desk desk;
    desk.does("set screen heads");
    const State before = desk.state();
    EXPECT_FALSE(desk.does("open-head 2 1"));
    desk.expect_notice("open-head");
    EXPECT_FALSE(desk.does("open-head 1 5"));
    EXPECT_EQ(desk.state(), before);
}

}  // namespace
}  // namespace headlight
