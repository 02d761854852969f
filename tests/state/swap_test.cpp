#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models.h"
#include "support.h"

// Swapping the current experiment and the baseline.
namespace headlight {
namespace {

using testing::Desk;
using testing::model_files;
using testing::small_state;
using Tokens = std::vector<int>;

TEST(Swap, exchanges_the_two_experiments_and_computes_nothing) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set temperature 5"));
    const auto before = desk->pinned_trace(), now = desk->trace();
    const auto summary_before = desk->pinned_summary(), summary_now = desk->summary();
    ASSERT_NE(before, now);
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_FALSE(desk->busy());
    EXPECT_EQ(desk.state().recipe.temperature, 1.0F);
    EXPECT_EQ(desk.state().pinned->temperature, 5.0F);
    EXPECT_EQ(desk->trace(), before);
    EXPECT_EQ(desk->pinned_trace(), now);
    EXPECT_EQ(desk->summary(), summary_before);
    EXPECT_EQ(desk->pinned_summary(), summary_now);
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    // And back, also immediately.
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_FALSE(desk->busy());
    EXPECT_EQ(desk->trace(), now);
    EXPECT_EQ(desk->pinned_trace(), before);
}

TEST(Swap, is_one_step_of_undo_that_computes_nothing_either) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("open b.ppm"));
    const auto before = desk->pinned_trace(), now = desk->trace();
    ASSERT_TRUE(desk.say("swap"));
    ASSERT_TRUE(desk.say("undo"));
    EXPECT_FALSE(desk->busy());
    EXPECT_EQ(desk->trace(), now);
    EXPECT_EQ(desk->pinned_trace(), before);
    EXPECT_EQ(desk.state().recipe.image, "b.ppm");
    ASSERT_TRUE(desk.say("redo"));
    EXPECT_FALSE(desk->busy());
    EXPECT_EQ(desk->trace(), before);
    EXPECT_EQ(desk.state().pinned->image, "b.ppm");
}

// Later changes apply to the experiment that is current now.
TEST(Swap, goes_on_with_the_experiment_that_was_kept) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set temperature 5"));
    ASSERT_TRUE(desk.say("swap"));
    ASSERT_TRUE(desk.does("set heads 2"));
    EXPECT_EQ(desk->trace()->shape.heads, 2);
    EXPECT_EQ(desk->trace()->config.temperature, 1.0F);
    EXPECT_EQ(desk->pinned_trace()->config.temperature, 5.0F);
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    // The same numbers as without a swap.
    Desk plain;
    ASSERT_TRUE(plain.does("set heads 2"));
    EXPECT_EQ(desk->trace()->all(Tensor::attention).eigen(),
              plain->trace()->all(Tensor::attention).eigen());
}

// A result that is computed during a swap is only shown in its new place.
TEST(Swap, in_the_middle_of_a_computation_ends_with_both) {
    for (const bool wait : {false, true}) {
        Desk desk;
        ASSERT_TRUE(desk.say("pin"));
        ASSERT_TRUE(desk.say("open b.ppm"));
        if (wait) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ASSERT_TRUE(desk.say("swap"));
        desk.settle();
        EXPECT_EQ(desk.state().recipe.image, "a.ppm");
        EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
        EXPECT_EQ(desk->trace()->source_file, "a.ppm");
        ASSERT_TRUE(desk->pinned_trace());
        EXPECT_EQ(desk->pinned_trace()->source_file, "b.ppm");
    }
}

TEST(Swap, before_what_was_kept_is_computed_ends_with_both) {
    State state = small_state();
    state.pinned = state.recipe;
    state.pinned->temperature = 3;
    Workspace work(state, testing::test_files(), {});
    ASSERT_TRUE(work.apply(parse_command("swap")));
    while (work.busy()) work.update(0);
    EXPECT_EQ(work.trace()->config.temperature, 3.0F);
    ASSERT_TRUE(work.pinned_trace());
    EXPECT_EQ(work.pinned_trace()->config.temperature, 1.0F);
}

TEST(Swap, looks_at_the_same_place_of_another_model) {
    Desk desk(small_state(), model_files());
    ASSERT_TRUE(desk.say("focus 15"));  // the last corner of 4 × 4
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("open-model timm/model.safetensors"));
    const int last = static_cast<int>(desk->trace()->layout.count()) - 1;
    ASSERT_EQ(desk.selection().token, last);
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_EQ(desk.selection().token, 15);
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_EQ(desk.selection().token, last);
}

TEST(Swap, of_tokens_and_a_picture_keeps_the_way_back) {
    Desk desk;
    ASSERT_TRUE(desk.does("vectors four"));
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("picture"));
    ASSERT_TRUE(desk.does("set temperature 2"));
    ASSERT_TRUE(desk.does("swap"));
    EXPECT_TRUE(gives_tokens(desk.state().recipe.tokens));
    ASSERT_TRUE(desk.does("picture"));
    EXPECT_EQ(desk.state().recipe.temperature, 2.0F);
}

TEST(Swap, without_a_kept_result_says_how_to_keep_one) {
    Desk desk;
    EXPECT_FALSE(desk.say("swap"));
    desk.expect_notice("Save one first (P)");
    EXPECT_FALSE(desk->can_undo());
}

TEST(Swap, of_what_cannot_be_computed_keeps_what_is_shown) {
    Desk desk;
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("set temperature 2"));
    desk.does("set heads 3");  // fails
    ASSERT_TRUE(desk.does("swap"));
    EXPECT_EQ(desk.state().pinned->heads, std::nullopt);
    EXPECT_EQ(desk.state().pinned->temperature, 2.0F);
    EXPECT_TRUE(desk->pinned_trace());
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    EXPECT_EQ(desk->notice().text, "");
}

// ---- queries

TEST(Swap, of_queries_makes_the_next_one_the_first) {
    Desk desk;
    ASSERT_TRUE(desk.say("set screen heads"));
    ASSERT_TRUE(desk.say("queries 3 12"));
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_EQ(desk.selection().token, 12);
    EXPECT_EQ(desk.selection().also, (Tokens{3}));
    ASSERT_TRUE(desk.say("undo"));
    EXPECT_EQ(desk.selection().token, 3);
    ASSERT_TRUE(desk.say("queries 3 12 7"));
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_EQ(desk.selection().token, 12);
    EXPECT_EQ(desk.selection().also, (Tokens{7, 3}));
    // They are not visible on other screens.
    ASSERT_TRUE(desk.say("set screen walk"));
    EXPECT_FALSE(desk.say("swap"));
    // The baseline's selection takes precedence.
    ASSERT_TRUE(desk.say("set screen heads"));
    ASSERT_TRUE(desk.say("pin"));
    ASSERT_TRUE(desk.does("open b.ppm"));
    ASSERT_TRUE(desk.say("swap"));
    EXPECT_EQ(desk.selection().token, 12);
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
}

}  // namespace
}  // namespace headlight
