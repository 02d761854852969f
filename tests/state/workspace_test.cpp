#include "state/workspace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "state/directory.h"
#include "support.h"

namespace headlight {
namespace {

using testing::Desk;
using testing::small_state;
using testing::test_files;

TEST(Workspace, a_dismissed_refusal_makes_room_for_the_next) {
    Desk desk;
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(desk->apply(command("head", "99")));
        desk.expect_notice("1 to");
        desk->dismiss_notice();
        EXPECT_EQ(desk->notice().text, "");
    }
    EXPECT_TRUE(desk.does("step next"));
}

TEST(Workspace, choosing_what_is_shown_takes_an_old_error_away) {
    Desk desk;
    desk.does("open nothing.ppm");
    ASSERT_TRUE(desk->notice().is_error);
    EXPECT_TRUE(desk.does("open a.ppm"));
    EXPECT_EQ(desk->notice().text, "");
}

TEST(Workspace, what_is_shown_of_a_can_be_chosen) {
    Desk desk;
    EXPECT_TRUE(desk.say("pin"));
    EXPECT_TRUE(desk.does("set heads 2"));
    EXPECT_TRUE(desk.does("set patch_size 32"));  // 4 tokens; A has 16, and 4 heads
    EXPECT_FALSE(desk.say("head 4"));
    EXPECT_TRUE(desk.say("compare before"));
    EXPECT_TRUE(desk.say("head 4"));
    EXPECT_TRUE(desk.say("focus 15"));
    EXPECT_TRUE(desk.say("step softmax"));
    EXPECT_TRUE(desk.say("cell 12 13"));
    EXPECT_TRUE(desk.say("compare after"));
    EXPECT_EQ(desk.selection().head, 1);   // the last head there is
    EXPECT_EQ(desk.selection().token, 2);  // at the same place: bottom left
    EXPECT_EQ(desk.selection().col, 2);
}

TEST(Workspace, a_panel_stops_the_playing_behind_it) {
    Desk desk;
    EXPECT_TRUE(desk.say("play"));
    ASSERT_TRUE(desk->playing());
    EXPECT_TRUE(desk.say("show help"));
    EXPECT_FALSE(desk->playing());
}

// ---- the first look

TEST(Workspace, starts_with_a_trace_and_the_middle_of_the_picture) {
    Desk desk;
    ASSERT_TRUE(desk->trace());
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    EXPECT_EQ(desk.selection().token, 10);  // row 2, column 2 of 4 × 4
    EXPECT_EQ(desk.selection().col, 7);
    EXPECT_EQ(desk.selection().col_axis, Axis::key_token);
    EXPECT_EQ(desk.state().recent, std::vector<std::string>{"a.ppm"});
    EXPECT_FALSE(desk->can_undo());
    EXPECT_TRUE(desk->notice().text.empty());
}

TEST(Workspace, the_first_look_fits_any_grid) {
    for (int across = 1; across < 6; ++across)
        for (int down = 1; down < 6; ++down) {
            const Selection first = first_selection(across, down);
            ASSERT_TRUE(first.token && first.col);
            EXPECT_LT(*first.token, across * down);
            EXPECT_LT(*first.col, across * down);
            EXPECT_GE(*first.col, 0);
            if (across * down > 1) {
                EXPECT_NE(first.col, first.token);
            }
        }
}

TEST(Workspace, a_pinned_token_of_a_session_stays) {
    State state = small_state();
    state.selection.token = 3;
    Desk desk(state);
    EXPECT_EQ(desk.selection().token, 3);
    EXPECT_FALSE(desk.selection().col);
}

TEST(Workspace, without_an_image_it_waits) {
    State state = small_state();
    state.recipe.image.clear();
    Desk desk(state);
    EXPECT_FALSE(desk->busy());
    EXPECT_FALSE(desk->trace());
    EXPECT_TRUE(desk.does("set heads 2"));
    EXPECT_FALSE(desk.say("focus 1"));
    desk.expect_notice("Open an image");
    EXPECT_FALSE(desk.say("pin"));
    EXPECT_TRUE(desk.does("open b.ppm"));
    ASSERT_TRUE(desk->trace());
    EXPECT_TRUE(desk.selection().token);
    EXPECT_TRUE(desk.does("undo"));
    EXPECT_FALSE(desk->trace());
    EXPECT_TRUE(desk.does("redo"));
    EXPECT_TRUE(desk->trace());
}

// ---- commands

TEST(Workspace, refuses_what_is_no_command_and_changes_nothing) {
    Desk desk;
    const State before = desk.state();
    for (const char* line :
         {"dance",         "set",           "set heads",      "set heads 2 3",
          "set nothing 1", "reset nothing", "step",           "step backwards",
          "stop here",     "head 0",        "head 5",         "head one",
          "head-click 9",  "solo 0",        "focus -1",       "focus 16",
          "focus x",       "cell 1",        "cell 0 16",      "cell 16 0",
          "undo now",      "compare b",     "compare before", "compare difference",
          "scrub",         "scrub 12.1",    "scrub -0.1",     "scrub nan",
          "show all",      "open",          "open \"\"",      "play fast",
          "\"\" x"}) {
        EXPECT_FALSE(desk.say(line)) << line;
        EXPECT_TRUE(desk->notice().is_error) << line;
        EXPECT_GT(desk->notice().text.size(), 10U) << line;
        EXPECT_EQ(desk.state(), before) << line;
        EXPECT_FALSE(desk->can_undo()) << line;
        EXPECT_FALSE(desk->busy()) << line;
        desk->dismiss_notice();
    }
}

TEST(Workspace, says_what_is_wrong_with_a_command) {
    Desk desk;
    desk.say("dance");
    EXPECT_EQ(desk->notice().text, "There is no command \"dance\".");
    desk.say("cell 1");
    EXPECT_EQ(desk->notice().text, "cell: expected ROW COL, found \"cell 1\".");
    desk.say("undo now");
    EXPECT_EQ(desk->notice().text, "undo: expected no arguments, found \"undo now\".");
    desk.say("set hats 3");
    EXPECT_EQ(desk->notice().text, "There is no field called \"hats\" to set.");
    desk.say("head 9");
    EXPECT_EQ(desk->notice().text, "head: expected an integer from 1 to 4, found \"9\".");
}

TEST(Workspace, a_good_command_outdates_the_refusal_of_a_bad_one) {
    Desk desk;
    desk.say("dance");
    EXPECT_TRUE(desk.say(""));  // an empty line is no answer
    desk.expect_notice("dance");
    EXPECT_TRUE(desk.say("step next"));
    EXPECT_TRUE(desk->notice().text.empty());
    desk->warn("The picture could not be saved.");
    EXPECT_TRUE(desk.say("step next"));
    desk.expect_notice("saved");
}

TEST(Workspace, walks_over_the_steps) {
    Desk desk;
    EXPECT_TRUE(desk.say("step softmax"));
    EXPECT_EQ(desk.selection().step, Step::softmax);
    EXPECT_EQ(desk->phase(), 1.0);
    desk.say("step next");
    EXPECT_EQ(desk.selection().step, Step::mix);
    desk.say("step previous");
    desk.say("step previous");
    EXPECT_EQ(desk.selection().step, Step::scale);
    desk.say("step last");
    EXPECT_TRUE(desk.say("step next"));
    EXPECT_EQ(desk.selection().step, Step::skip);
    desk.say("step first");
    EXPECT_TRUE(desk.say("step previous"));
    EXPECT_EQ(desk.selection().step, Step::image);
    for (const Step step : std::vector(desk->steps())) {
        EXPECT_TRUE(desk.say("step " + std::string(info(step).name)));
        EXPECT_EQ(desk.selection().step, step);
    }
    EXPECT_FALSE(desk.say("step norm1"));  // a bare layer has none
}

// Positions shows no cells, so a token clicked there is deselected at once.
TEST(Workspace, lets_go_of_a_token_at_once_where_no_cell_is_shown) {
    Desk desk;
    ASSERT_TRUE(desk.say("focus 5"));
    ASSERT_TRUE(desk.selection().col);
    ASSERT_TRUE(desk.say("set screen positions"));
    ASSERT_TRUE(desk.say("release"));
    EXPECT_FALSE(desk.selection().token);
    EXPECT_FALSE(desk.selection().col);
}

TEST(Workspace, chooses_pins_and_releases_heads) {
    Desk desk;
    desk.say("head 3");
    EXPECT_EQ(desk.selection().head, 2);
    desk.say("head next");
    EXPECT_TRUE(desk.say("head next"));
    EXPECT_EQ(desk.selection().head, 3);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(desk.say("head previous"));
    EXPECT_EQ(desk.selection().head, 0);

    desk.say("head-click 2");
    EXPECT_EQ(desk.selection().head, 1);
    EXPECT_TRUE(desk.selection().head_pinned);
    desk.say("head-click 2");
    EXPECT_FALSE(desk.selection().head_pinned);
    desk.say("head-click 3");
    EXPECT_TRUE(desk.selection().head_pinned);

    desk.say("solo 4");
    EXPECT_TRUE(desk.selection().solo);
    EXPECT_EQ(desk.selection().head, 3);
    desk.say("solo 1");
    EXPECT_TRUE(desk.selection().solo);
    desk.say("solo 1");
    EXPECT_FALSE(desk.selection().solo);
}

TEST(Workspace, pins_cells_and_lets_go_in_order) {
    Desk desk;
    desk.say("step softmax");
    EXPECT_TRUE(desk.say("cell 3 15"));
    EXPECT_EQ(desk.selection().token, 3);
    EXPECT_EQ(desk.selection().col, 15);
    EXPECT_EQ(desk.selection().col_axis, Axis::key_token);
    desk.say("focus 5");
    EXPECT_EQ(desk.selection().token, 5);
    desk.say("release");
    EXPECT_FALSE(desk.selection().col);
    EXPECT_EQ(desk.selection().token, 5);
    desk.say("release");
    EXPECT_FALSE(desk.selection().token);
    EXPECT_TRUE(desk.say("release"));
}

TEST(Workspace, a_cell_lies_within_the_result_of_its_step) {
    struct Case {
        const char* step;
        int cols;
        Axis axis;
    };
    for (const Case& c : {Case{"patches", 768, Axis::feature},
                          {"position", 768, Axis::feature},
                          {"qkv", 48, Axis::qkv_channel},
                          {"heads", 4, Axis::head_channel},
                          {"products", 16, Axis::key_token},
                          {"mix", 4, Axis::head_channel},
                          {"concat", 16, Axis::channel},
                          {"skip", 16, Axis::channel}}) {
        Desk desk;
        desk.say(std::string("step ") + c.step);
        EXPECT_TRUE(desk.say("cell 0 " + std::to_string(c.cols - 1))) << c.step;
        EXPECT_EQ(desk.selection().col_axis, c.axis) << c.step;
        EXPECT_FALSE(desk.say("cell 0 " + std::to_string(c.cols))) << c.step;
    }
    Desk desk;
    desk.say("step image");
    EXPECT_FALSE(desk.say("cell 0 0"));
    desk.expect_notice("not tokens");
}

TEST(Workspace, resets_a_field_to_its_default) {
    Desk desk;
    desk.does("set temperature 3");
    EXPECT_TRUE(desk.does("reset temperature"));
    EXPECT_EQ(desk.state().recipe.temperature, 1.0F);
}

TEST(Workspace, shows_panels_without_an_undo_step) {
    Desk desk;
    EXPECT_TRUE(desk.say("show help"));
    EXPECT_EQ(desk->panel(), Panel::help);
    desk.say("show files");
    EXPECT_EQ(desk->panel(), Panel::files);
    desk.say("show about");
    EXPECT_EQ(desk->panel(), Panel::about);
    desk.say("show nothing");
    EXPECT_EQ(desk->panel(), Panel::nothing);
    EXPECT_FALSE(desk->can_undo());
}

// ---- computation

TEST(Workspace, a_changed_field_is_computed) {
    Desk desk;
    const auto before = desk->trace();
    EXPECT_TRUE(desk.does("set temperature 0.5"));
    EXPECT_EQ(desk->trace_recipe().temperature, 0.5F);
    EXPECT_EQ(desk->trace()->result(Tensor::products), before->result(Tensor::products));
    EXPECT_NE(desk->trace()->result(Tensor::scores), before->result(Tensor::scores));
}

TEST(Workspace, a_look_is_not_computed) {
    Desk desk;
    EXPECT_TRUE(desk.say("set theme light"));
    EXPECT_FALSE(desk->busy());
}

TEST(Workspace, heads_that_do_not_divide_the_channels_are_explained) {
    Desk desk;
    const auto before = desk->trace();
    EXPECT_TRUE(desk.does("set heads 3"));
    desk.expect_notice("16 channels cannot be divided evenly among 3 heads");
    EXPECT_EQ(desk.state().recipe.heads, 3);  // as the user set it
    EXPECT_EQ(desk->trace(), before);
    EXPECT_EQ(desk->trace()->config.heads, 4);

    desk.say("step next");  // looking around is no answer
    EXPECT_FALSE(desk->busy());
    desk.expect_notice("3 heads");
    EXPECT_TRUE(desk.does("set heads 8"));
    EXPECT_TRUE(desk->notice().text.empty());
    EXPECT_EQ(desk->trace()->shape.heads, 8);
}

TEST(Workspace, remembers_where_the_last_computation_broke_off) {
    Desk desk;
    EXPECT_EQ(desk->failed_at(), std::nullopt);
    EXPECT_TRUE(desk.does("set heads 3"));
    EXPECT_EQ(desk->failed_at(), Step::heads);
    EXPECT_TRUE(desk.does("set heads 8"));
    EXPECT_EQ(desk->failed_at(), std::nullopt);
    EXPECT_TRUE(desk.does("open nothing.ppm"));
    EXPECT_EQ(desk->failed_at(), Step::image);
}

TEST(Workspace, goes_back_to_the_usual_settings_with_the_same_image) {
    State broken = small_state();
    broken.recipe.heads = 3;
    broken.recipe.weights = "w.safetensors";
    broken.look.theme = Theme::light;
    Desk desk(broken);
    ASSERT_EQ(desk->trace(), nullptr);
    EXPECT_TRUE(desk.does("defaults"));
    Recipe usual;
    usual.image = "a.ppm";
    EXPECT_EQ(desk.state().recipe, usual);
    EXPECT_NE(desk->trace(), nullptr);
    EXPECT_EQ(desk.state().look.theme, Theme::light);
    EXPECT_TRUE(desk.say("undo"));
    EXPECT_EQ(desk.state().recipe, broken.recipe);
}

TEST(Workspace, a_new_trace_clamps_the_selection) {
    Desk desk;
    desk.does("set heads 8");
    desk.say("head 8");
    desk.say("step softmax");
    desk.say("cell 15 15");
    EXPECT_TRUE(desk.does("set heads 2"));
    EXPECT_EQ(desk.selection().head, 1);
    EXPECT_TRUE(desk.does("set patch_size 32"));
    EXPECT_EQ(desk.selection().token, 3);
    EXPECT_EQ(desk.selection().col, 3);
}

TEST(Workspace, cancel_stops_and_says_so) {
    Desk desk(small_state(), [](const std::string& name) {
        if (name == "slow.ppm") std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return testing::picture(20, 20, 1);
    });
    const auto before = desk->trace();
    EXPECT_TRUE(desk.say("cancel"));
    EXPECT_TRUE(desk->notice().text.empty());
    desk.say("open slow.ppm");
    EXPECT_TRUE(desk->busy());
    for (int i = 0; i < 1000 && !desk->show_progress(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(desk->show_progress());
    EXPECT_TRUE(desk.does("cancel"));
    desk.expect_notice("Stopped");
    EXPECT_EQ(desk->trace(), before);
    EXPECT_EQ(desk.state().recipe.image, "slow.ppm");
    EXPECT_TRUE(desk.does("set heads 8"));
    EXPECT_TRUE(desk->notice().text.empty());
    EXPECT_EQ(desk->trace_recipe().image, "slow.ppm");
}

// ---- files

TEST(Workspace, opens_images_and_remembers_them) {
    Desk desk;
    EXPECT_TRUE(desk.does("open b.ppm"));
    EXPECT_EQ(desk->trace()->source->width, 40);
    EXPECT_TRUE(desk.does("open c.ppm"));
    EXPECT_TRUE(desk.does("open a.ppm"));
    EXPECT_EQ(desk.state().recent, (std::vector<std::string>{"a.ppm", "c.ppm", "b.ppm"}));
}

TEST(Workspace, remembers_twelve_images) {
    Desk desk(small_state(), [](const std::string&) { return testing::picture(8, 8, 1); });
    for (int i = 0; i < 20; ++i) desk.does("open image" + std::to_string(i));
    EXPECT_EQ(desk.state().recent.size(), 12U);
    EXPECT_EQ(desk.state().recent.front(), "image19");
}

TEST(Workspace, a_file_that_is_there_is_known_by_its_whole_path) {
    Desk desk(small_state(), [](const std::string&) { return testing::picture(8, 8, 1); });
    const std::string name = "headlight_" + std::to_string(getpid()) + ".ppm";
    std::ofstream(name) << "P6";
    desk.does("open " + name);
    std::filesystem::remove(name);
    EXPECT_TRUE(desk.state().recipe.image.starts_with('/'));
}

TEST(Workspace, a_bad_image_is_taken_back_and_explained) {
    Desk desk;
    desk.say("step softmax");
    const State before = desk.state();
    const auto trace = desk->trace();
    for (const char* name : {"text.ppm", "none.ppm"}) {
        EXPECT_TRUE(desk.does(std::string("open ") + name));
        desk.expect_notice(name);
        EXPECT_EQ(desk.state(), before);
        EXPECT_EQ(desk->trace(), trace);
        EXPECT_FALSE(desk->busy());
    }
    EXPECT_TRUE(desk.does("undo"));  // the step, not the image
    EXPECT_EQ(desk.selection().step, Step::image);
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, a_bad_image_leaves_no_trace_in_the_history) {
    Desk desk;
    desk.say("open none.ppm");
    desk.say("step softmax");  // before the failure is known
    desk.settle();
    desk.expect_notice("none.ppm");
    EXPECT_EQ(desk.selection().step, Step::softmax);
    desk.does("undo");
    EXPECT_EQ(desk.selection().step, Step::image);
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
    EXPECT_FALSE(desk->can_undo());
    desk.does("redo");
    EXPECT_EQ(desk.selection().step, Step::softmax);
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
}

TEST(Workspace, a_bad_image_takes_no_other_choice_with_it) {
    Desk desk;
    desk.say("set heads 8");
    desk.say("open none.ppm");
    desk.settle();
    desk.expect_notice("none.ppm");
    EXPECT_EQ(desk.state().recipe.image, "a.ppm");
    EXPECT_EQ(desk.state().recipe.heads, 8);
    EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    EXPECT_TRUE(desk.does("set heads 2"));  // and then the notice is old
    EXPECT_TRUE(desk->notice().text.empty());
}

TEST(Workspace, a_good_image_stays_when_something_else_is_wrong) {
    Desk desk;
    desk.does("set heads 3");
    desk.does("open b.ppm");
    desk.expect_notice("3 heads");
    EXPECT_EQ(desk.state().recipe.image, "b.ppm");
    desk.does("set heads 2");
    EXPECT_EQ(desk->trace_recipe().image, "b.ppm");
}

TEST(Workspace, a_bad_first_image_can_be_tried_again) {
    State state = small_state();
    state.recipe.image = "late.ppm";
    auto there = std::make_shared<std::atomic<bool>>(false);
    Desk desk(state, [there](const std::string& name) {
        if (!*there) throw FileMissing(name + ": there is no such file.");
        return testing::picture(20, 20, 1);
    });
    desk.expect_notice("late.ppm");
    EXPECT_FALSE(desk->trace());
    EXPECT_EQ(desk.state().recipe.image, "late.ppm");
    *there = true;
    EXPECT_TRUE(desk.does("open late.ppm"));
    EXPECT_TRUE(desk->trace());
    EXPECT_TRUE(desk->notice().text.empty());
}

TEST(Workspace, weights_come_from_a_file_or_are_taken_back) {
    Desk desk;
    EXPECT_TRUE(desk.does("set weights w.safetensors"));
    ASSERT_TRUE(desk->notice().text.empty()) << desk->notice().text;
    EXPECT_EQ(desk->trace()->config.channels, 8);
    for (const char* name : {"bad.safetensors", "wide.safetensors", "none"}) {
        EXPECT_TRUE(desk.does(std::string("set weights ") + name));
        desk.expect_notice(name);
        EXPECT_EQ(desk.state().recipe.weights, "w.safetensors");
        EXPECT_EQ(desk->trace_recipe(), desk.state().recipe);
    }
    desk.does("undo");
    EXPECT_EQ(desk.state().recipe.weights, "");
    EXPECT_EQ(desk->trace()->config.channels, 16);
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, weights_that_no_longer_fit_stay_as_chosen) {
    Desk desk;
    desk.does("set weights w.safetensors");
    desk.does("set color grey");
    desk.expect_notice("w.safetensors");
    EXPECT_EQ(desk.state().recipe.weights, "w.safetensors");
    EXPECT_TRUE(desk.state().recipe.grey);
}

// ---- undo

TEST(Workspace, every_kind_of_change_can_be_undone_and_redone) {
    for (const char* line : {"open b.ppm",
                             "set heads 2",
                             "set theme light",
                             "set patch_size 8",
                             "step softmax",
                             "step next",
                             "stop next",
                             "head 2",
                             "head-click 3",
                             "head-click 1",
                             "solo 2",
                             "focus 3",
                             "query 3",
                             "queries 3 4",
                             "release",
                             "pin",
                             "scrub 5.5",
                             "set weights w.safetensors",
                             "set seed 7",
                             "set scale 0.1",
                             "set positions none",
                             "set image_size 96",
                             "set speed 2"}) {
        Desk desk;
        const State before = desk.state();
        ASSERT_TRUE(desk.does(line)) << line;
        State after = desk.state();
        EXPECT_FALSE(same_choices(before, after)) << line;
        EXPECT_TRUE(desk->can_undo()) << line;
        EXPECT_TRUE(desk.does("undo")) << line;
        EXPECT_TRUE(same_choices(desk.state(), before)) << line;
        EXPECT_EQ(desk->trace_recipe(), before.recipe) << line;
        EXPECT_FALSE(desk->can_undo()) << line;
        EXPECT_TRUE(desk.does("redo")) << line;
        EXPECT_TRUE(same_choices(desk.state(), after)) << line;
        EXPECT_EQ(desk->trace_recipe(), after.recipe) << line;
        EXPECT_FALSE(desk->can_redo()) << line;
        EXPECT_FALSE(desk.does("redo"));
        desk.expect_notice("nothing to redo");
    }
}

TEST(Workspace, a_command_that_changes_nothing_is_no_undo_step) {
    Desk desk;
    for (const char* line : {"set heads model", "step first", "head 1", "compare after", "unpin",
                             "open a.ppm", "reset theme", "play", "pause"})
        EXPECT_TRUE(desk.does(line)) << line;
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, a_drag_is_one_undo_step) {
    Desk desk;
    for (const char* value : {"1.1", "1.2", "1.3"})
        desk.say(std::string("set temperature ") + value);
    desk->end_gesture();
    for (const char* value : {"1.4", "1.5"}) desk.say(std::string("set temperature ") + value);
    desk.does("undo");
    EXPECT_EQ(desk.state().recipe.temperature, 1.3F);
    desk.does("undo");
    EXPECT_EQ(desk.state().recipe.temperature, 1.0F);
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, which_heads_are_shown_is_one_undo_step) {
    Desk desk;
    const Look before = desk.state().look;
    ASSERT_TRUE(desk.does("filter-heads least distance 12.5"));
    EXPECT_EQ(desk.state().look.heads_filter, HeadFilter::least);
    EXPECT_EQ(desk.state().look.heads_filter_by, HeadMeasure::distance);
    EXPECT_EQ(desk.state().look.heads_bound, 12.5F);
    ASSERT_TRUE(desk.does("undo"));
    EXPECT_EQ(desk.state().look, before);
    // Nothing changes if one argument is invalid.
    EXPECT_FALSE(desk.does("filter-heads most distance far"));
    EXPECT_EQ(desk.state().look, before);
}

TEST(Workspace, another_field_is_another_undo_step) {
    Desk desk;
    desk.say("set temperature 2");
    desk.say("set seed 3");
    desk.say("set temperature 3");
    desk.does("undo");
    EXPECT_EQ(desk.state().recipe.temperature, 2.0F);
    desk.does("undo");
    EXPECT_EQ(desk.state().recipe.seed, 0U);
    EXPECT_EQ(desk.state().recipe.temperature, 2.0F);
}

TEST(Workspace, a_walk_is_one_undo_step) {
    Desk desk;
    desk.say("step softmax");
    desk.say("head 2");
    desk.say("focus 3");
    desk.say("cell 4 5");
    desk.say("stop next");
    desk.say("release");
    desk.say("scrub 3.3");
    desk.say("undo");
    EXPECT_EQ(desk.selection().step, Step::image);
    EXPECT_EQ(desk.selection().head, 0);
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, undo_does_not_forget_recent_images) {
    Desk desk;
    desk.does("open b.ppm");
    desk.does("undo");
    EXPECT_EQ(desk.state().recent.size(), 2U);
}

TEST(Workspace, undo_brings_back_a_selection_that_did_not_fit) {
    Desk desk;
    desk.does("set heads 8");
    desk.say("head 8");
    desk.does("set heads 2");
    EXPECT_EQ(desk.selection().head, 1);
    desk.say("undo");
    EXPECT_LT(desk.selection().head, 2);  // the old trace is still there
    desk.settle();
    EXPECT_EQ(desk.selection().head, 7);
    // Faster than the computation.
    for (const char* line : {"redo", "undo", "redo", "undo"}) desk.say(line);
    desk.settle();
    EXPECT_EQ(desk.state().recipe.heads, 8);
    EXPECT_EQ(desk.selection().head, 7);
}

// The result of a redo arrives after the undo that reverted it: it is shown, but changes no
// selection.
TEST(Workspace, a_late_result_overwrites_no_choice) {
    std::atomic<bool> open{true};
    Desk desk(small_state(), [&open, files = test_files()](const std::string& name) {
        while (name == whole_path("w.safetensors") && !open)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return files(std::filesystem::path(name).filename());
    });
    desk.does("set heads 8");
    desk.say("head 8");
    desk.say("focus 15");
    desk.does("open-model w.safetensors");  // it has one head
    EXPECT_EQ(desk.selection().head, 0);
    desk.does("undo");
    EXPECT_EQ(desk.selection().head, 7);
    open = false;
    desk.say("redo");
    desk.say("undo");
    open = true;
    desk.settle();
    EXPECT_EQ(desk.state().recipe.heads, 8);
    EXPECT_EQ(desk.selection().head, 7);
    EXPECT_EQ(desk.selection().token, 15);
}

TEST(Workspace, what_a_slider_passes_by_overwrites_no_choice) {
    Desk desk;
    desk.does("set heads 8");
    for (const char* line : {"head 8", "step softmax", "cell 15 15"}) desk.say(line);
    for (const char* line :
         {"set heads 2", "set heads 4", "set heads 8", "set patch_size 32", "set patch_size 16"})
        desk.does(line);
    EXPECT_EQ(desk.selection().head, 7);
    EXPECT_EQ(desk.selection().token, 15);
    EXPECT_EQ(desk.selection().col, 15);
}

TEST(Workspace, what_is_kept_is_the_choice_not_what_the_result_in_view_has_of_it) {
    Desk desk;
    desk.does("set heads 8");
    desk.say("head 8");
    desk.does("set heads 2");
    EXPECT_EQ(desk.selection().head, 1);
    EXPECT_EQ(desk->chosen().selection.head, 7);
    desk.say("head 1");  // a choice of its own
    EXPECT_EQ(desk->chosen().selection.head, 0);
}

TEST(Workspace, a_new_change_ends_what_could_be_redone) {
    Desk desk;
    desk.does("set heads 2");
    desk.does("undo");
    EXPECT_TRUE(desk->can_redo());
    desk.does("set seed 2");
    EXPECT_FALSE(desk->can_redo());
}

// ---- comparison

TEST(Workspace, keeps_a_result_to_compare_with) {
    Desk desk;
    EXPECT_TRUE(desk.say("pin"));
    const auto a = desk->trace();
    EXPECT_EQ(desk->pinned_trace(), a);
    EXPECT_EQ(desk.state().pinned, desk->trace_recipe());
    desk.does("set temperature 5");
    EXPECT_NE(desk->trace(), a);
    EXPECT_EQ(desk->pinned_trace(), a);
    EXPECT_TRUE(desk.say("compare difference"));
    EXPECT_EQ(desk.state().look.compare, Compare::difference);
    EXPECT_TRUE(desk.say("compare before"));
    EXPECT_EQ(desk.state().look.compare, Compare::before);
    EXPECT_TRUE(desk.say("unpin"));
    EXPECT_FALSE(desk->pinned_trace());
    EXPECT_EQ(desk.state().look.compare, Compare::after);
    EXPECT_FALSE(desk.say("compare before"));
    desk.expect_notice("no baseline to compare");
}

TEST(Workspace, pins_what_is_shown_not_what_is_being_computed) {
    Desk desk;
    desk.does("set heads 3");  // fails
    desk.say("pin");
    EXPECT_EQ(desk.state().pinned->heads, std::nullopt);
}

TEST(Workspace, undo_computes_the_kept_result_again) {
    Desk desk;
    desk.say("pin");
    const Matrix scores = desk->trace()->all(Tensor::scores).eigen();
    desk.does("set temperature 5");
    desk.say("unpin");
    desk.does("undo");
    ASSERT_TRUE(desk->pinned_trace());
    EXPECT_EQ(desk->pinned_trace()->all(Tensor::scores).eigen(), scores);
    desk.does("undo");
    desk.does("undo");
    EXPECT_FALSE(desk->pinned_trace());
    desk.does("redo");
    EXPECT_TRUE(desk->pinned_trace());
}

TEST(Workspace, a_session_computes_its_kept_result_again) {
    State state = small_state();
    state.pinned = state.recipe;
    state.pinned->temperature = 3;
    state.look.compare = Compare::difference;
    Desk desk(state);
    ASSERT_TRUE(desk->pinned_trace());
    EXPECT_EQ(desk->pinned_trace()->config.temperature, 3.0F);
    EXPECT_EQ(desk->trace()->config.temperature, 1.0F);
}

TEST(Workspace, a_kept_result_that_cannot_be_computed_again_is_let_go) {
    State state = small_state();
    state.pinned = state.recipe;
    state.pinned->image = "none.ppm";
    state.look.compare = Compare::before;
    Desk desk(state);
    EXPECT_FALSE(desk.state().pinned);
    EXPECT_EQ(desk.state().look.compare, Compare::after);
    ASSERT_TRUE(desk->trace());
}

// ---- playing

TEST(Workspace, plays_through_all_steps_as_one_undo_step) {
    Desk desk;
    EXPECT_FALSE(desk->update(1));
    EXPECT_TRUE(desk.say("toggle-play"));
    for (int frame = 0; frame < 100; ++frame) {
        EXPECT_TRUE(desk->update(0.1));
        if (frame % 10 == 0) desk->end_gesture();
    }
    EXPECT_TRUE(desk->playing());
    EXPECT_EQ(desk.selection().step, Step::heads);
    while (desk->playing()) desk->update(1);
    EXPECT_EQ(desk.selection().step, Step::skip);
    EXPECT_EQ(desk->phase(), 1.0);
    EXPECT_FALSE(desk->update(1));
    desk.does("undo");
    EXPECT_EQ(desk.selection().step, Step::image);
    EXPECT_FALSE(desk->can_undo());
}

TEST(Workspace, play_at_the_end_starts_over) {
    Desk desk;
    desk.say("step last");
    EXPECT_TRUE(desk.say("play"));
    EXPECT_EQ(desk.selection().step, Step::image);
    EXPECT_TRUE(desk->playing());
    desk.say("toggle-play");
    EXPECT_FALSE(desk->playing());
}

TEST(Workspace, walking_by_hand_and_undo_stop_playing) {
    for (const char* line : {"step next", "stop next", "stop previous", "scrub 4", "undo"}) {
        Desk desk;
        desk.say("step qkv");
        desk.say("play");
        desk->update(0.1);
        EXPECT_TRUE(desk->playing());
        EXPECT_TRUE(desk.say(line));
        EXPECT_FALSE(desk->playing()) << line;
    }
}

TEST(Workspace, a_stop_within_softmax_is_seen_in_the_phase) {
    Desk desk;
    desk.say("step scale");
    desk.say("stop next");
    EXPECT_EQ(desk.selection().step, Step::softmax);
    EXPECT_NEAR(desk->phase(), 1.0 / 3, 1e-12);
}

}  // namespace
}  // namespace headlight
