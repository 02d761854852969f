#include <gtest/gtest.h>

#include "models.h"
#include "support.h"

// From the maps of all heads to Walk at one of them, and back.
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

TEST(OpenHead, goes_back_to_the_screen_that_it_was_opened_from) {
    Desk desk;
    desk.does("set screen look");
    ASSERT_TRUE(desk.does("open-head 1 3"));
    EXPECT_EQ(desk.state().look.screen, ScreenId::walk);
    desk.does("release");
    EXPECT_EQ(desk.state().look.screen, ScreenId::look);
    EXPECT_EQ(desk.selection().head, 2);
}

TEST(OpenHead, is_one_step_of_undo) {
    Desk desk;
    desk.does("set screen heads");
    const State before = desk.state();
    desk.does("open-head 1 4");
    desk.does("undo");
    EXPECT_EQ(desk.state(), before);
}

TEST(OpenHead, a_zero_is_answered_with_how_layers_and_heads_count) {
    Desk desk;
    for (const auto& [line, says] : {std::pair{"layer 0", "layers count from 1"},
                                     {"open-head 0 1", "layers count from 1"},
                                     {"open-head 1 0", "heads count from 1"},
                                     {"switch-head 0 1", "layers count from 1"},
                                     {"switch-head 1 0", "heads count from 1"},
                                     {"set switched_off 0.1", "layers count from 1"},
                                     {"set switched_off 1.0", "heads count from 1"},
                                     {"head 0", "heads count from 1"},
                                     {"head-click 0", "heads count from 1"},
                                     {"solo 0", "heads count from 1"}}) {
        EXPECT_FALSE(desk.does(line)) << line;
        desk.expect_notice(says);
        desk.expect_notice("\"0\"");
    }
    EXPECT_FALSE(desk.does("head 5"));
    EXPECT_EQ(desk->notice().text.find("count from"), std::string::npos) << desk->notice().text;
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
