#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <thread>

#include "pane.h"
#include "state/image_folder.h"
#include "tasks/latest_task.h"
#include "tests/scratch_folder.h"
#include "walks.h"

// Elements over Walk or instead of it, in windows with ample and with little space.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;

constexpr PaneSize kPanelSizes[] = {{320, 240}, {640, 480}, {960, 600}, {1920, 1080}};

// Draws the screen after each line in all sizes and types, with a notice on top. Draws twice,
// because some windows reach their size only in the second frame.
void draw_everywhere(Desk& desk, const std::vector<std::string>& lines,
                     const std::string& notice = "") {
    Pane pane;
    for (const char* lecture : {"set lecture false", "set lecture true"})
        for (const float scale : {1.0F, 2.0F})
            for (const PaneSize size : kPanelSizes)
                for (const std::string& line : lines) {
                    desk.say(lecture);
                    ASSERT_TRUE(desk.say(line)) << line;
                    if (!notice.empty()) desk->warn(notice);
                    for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, scale);
                    if (!notice.empty()) {
                        EXPECT_EQ(pane.ui().reports().at("notice"), notice);
                    }
                }
}

TEST(Panels, are_drawn_at_every_size) {
    Desk desk(testing::cat(), testing::read_source);
    draw_everywhere(desk, {"show files", "show model", "show help", "show about", "show palette",
                           "show figure", "show folder"});
}

TEST(Panels, are_drawn_without_assets) {
    setenv("HEADLIGHT_ASSETS", "/there/is/no/such/folder", 1);
    Desk desk(testing::cat(), testing::read_source);
    draw_everywhere(desk, {"show files", "show about"});
    unsetenv("HEADLIGHT_ASSETS");
}

TEST(Panels, long_notices_are_drawn_at_every_size) {
    Desk desk(testing::cat(), testing::read_source);
    const std::string text = std::string(300, 'w') + " as long as a path can be.";
    for (const std::string& notice : {text, text + "\nimport torch\nprint(“é”)"})
        draw_everywhere(desk, {"show nothing"}, notice);
}

TEST(Panels, a_start_without_a_picture_is_drawn_at_every_size) {
    Desk desk(State{}, testing::read_source);
    draw_everywhere(desk, {"show nothing", "show files"});
    draw_everywhere(desk, {"show nothing", "show files"},
                    "There is nothing to see. " + std::string(300, 'w'));
}

TEST(Panels, all_layers_are_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set all_layers true", "set rollout mean",
                                           "set rollout_shown true", "switch-head 1 1"}));
    draw_everywhere(desk, {"show nothing"});
}

TEST(Panels, several_queries_are_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set screen heads", "queries 5 3 0 1 2 4"}));
    draw_everywhere(desk, {"set heads_combined hues", "set heads_combined mean",
                           "set heads_mass 60", "set range own", "show figure"});
}

TEST(Panels, a_difference_and_its_figure_are_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    ASSERT_NO_FATAL_FAILURE(
        say_all(desk, {"set screen heads", "set rollout mean", "pin", "set temperature 0.4"}));
    draw_everywhere(desk, {"compare difference", "set heads_combined mean", "compare before",
                           "set heads_combined nothing", "compare difference", "show figure"});
}

TEST(Panels, the_nearest_images_are_drawn_at_every_size) {
    const ScratchFolder scratch;
    setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1);
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));  // a scene
    ASSERT_NO_FATAL_FAILURE(
        say_all(desk, {"set screen heads", "set features nearest", "show features"}));
    draw_everywhere(desk, {"show features"});
    Pane pane;
    pane.draw_until_answered(desk, {1600, 1000}, 1);
    EXPECT_EQ(pane.ui().reports().at("features.instead"),
              "Choose a folder to find its images that are most similar to this picture.");
    const std::string folder = testing::source("assets/images");
    const std::string count = std::to_string(images_at(folder).size());
    ASSERT_TRUE(desk.does("set nearest_folder \"" + folder + "\""));
    for (const char* line :
         {"set nearest_by images", "set nearest_by patches", "set nearest_end true"}) {
        ASSERT_TRUE(desk.does(line));
        pane.draw_until_answered(desk, {1600, 1000}, 1);
        const auto reports = pane.ui().reports();
        EXPECT_FALSE(reports.contains("features.instead")) << reports.at("features.instead");
        EXPECT_EQ(reports.at("features.nearest.compared"), count);
        EXPECT_EQ(reports.at("features.nearest.state"), "done");
        for (const PaneSize size : {PaneSize{1280, 720}, {640, 480}, {200, 150}, {40, 30}, {3, 2}})
            for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, 1);
    }
    ASSERT_TRUE(desk.does("set nearest_folder /there/is/no/such/folder"));
    pane.draw_until_answered(desk, {1600, 1000}, 1);
    EXPECT_EQ(pane.ui().reports().at("features.instead"),
              "The folder “/there/is/no/such/folder” does not exist. Choose another folder.");
    unsetenv("XDG_CACHE_HOME");
}

TEST(Panels, an_image_that_cannot_be_read_is_named_in_the_last_frame) {
    const ScratchFolder scratch;
    std::filesystem::copy(testing::source("assets/images/cat.jpg"), scratch / "a.jpg");
    std::ofstream(scratch / "b.jpg") << "no picture";
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_TRUE(desk.does("folder \"" + scratch.path().string() + "\""));
    Pane pane;
    pane.draw_until_answered(desk, {1600, 1000}, 1, 1);
    const std::string said = pane.ui().reports().at("heads.folder");
    EXPECT_NE(said.find("b.jpg"), std::string::npos) << said;
}

TEST(Panels, what_was_changed_is_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    draw_everywhere(desk, {"set temperature 0.312", "set positions none", "set mask causal",
                           "switch-head 1 1", "switch-head 2 2", "pin", "compare before"});
}

// Screens draw less before their studies have answered.
TEST(Panels, screens_that_have_their_answers_are_drawn_at_every_size) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    for (const char* line :
         {"set screen look", "set screen heads", "set screen positions", "set positions learned",
          "set positions rotary", "set positions relative"}) {
        ASSERT_TRUE(desk.does(line)) << line;
        pane.draw_until_answered(desk, {1600, 1000}, 1);
        for (const PaneSize size : {PaneSize{1280, 720}, {640, 480}, {200, 150}, {40, 30}, {3, 2}})
            for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, 1);
    }
}

// The views miss an answer that arrives after they looked, and then the study is already idle.
TEST(Panels, an_answer_that_comes_during_a_frame_is_seen_in_the_next) {
    Desk desk(testing::cat(), testing::read_source);
    Pane pane;
    pane.draw_until_answered(desk, {640, 480}, 1);
    ASSERT_FALSE(pane.ui().frame_asked());
    LatestTask<int, int> answers([](int question, auto&, auto&) { return question; });
    std::jthread asker([&](const std::stop_token& stop) {
        for (int question = 0; !stop.stop_requested(); ++question) {
            answers.ask(question);
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < 5000 && !pane.ui().frame_asked(); ++i) pane.draw(desk, {640, 480}, 1);
    EXPECT_TRUE(pane.ui().frame_asked());
}

// Whether they have content or not.
TEST(Panels, all_parts_of_the_right_column_are_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    for (const char* fold : {"folded", "open"}) {
        for (const std::string_view section : kNames<Section>)
            ASSERT_TRUE(desk.does("set fold_" + std::string(section) + " " + fold)) << section;
        draw_everywhere(desk, {"step image", "step softmax", "step head"});
    }
}

// A scene whose layers got a mask after the baseline was saved.
void mask_after_keeping(Desk& desk) {
    ASSERT_NO_FATAL_FAILURE(say_all(desk, testing::all_walks()[1].open));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"pin", "set mask causal"}));
}

TEST(Panels, a_difference_of_nothing_says_so) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(mask_after_keeping(desk));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"compare difference"}));
    Pane pane;
    pane.record();
    const auto same = [&](const std::string& step) {
        desk.does("step " + step);
        pane.draw(desk, {1600, 1000}, 1);
        return std::ranges::count(pane.texts("stage"), "the same as before, in every cell");
    };
    EXPECT_EQ(same("scale"), 2);  // scaled products now, scores then
    EXPECT_EQ(same("mask"), 1);   // what goes in; what comes out has −∞ where it had numbers
    EXPECT_EQ(same("softmax"), 0);
}

TEST(Panels, of_the_result_from_before_it_is_said_whose_settings_are_shown) {
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(mask_after_keeping(desk));
    Pane pane;
    const ui::Recording& recording = pane.record();
    const auto said = [&](const std::string& shown) {
        desk.does("compare " + shown);
        pane.draw(desk, {1600, 1000}, 1);
        std::string all;
        for (const ui::DrawnText& text : recording.texts({0, 0, 1600, 1000}))
            all += text.text + '\n';
        return all.find("Mask  none → causal") != std::string::npos &&
               all.find("You see ") != std::string::npos;
    };
    EXPECT_FALSE(said("after"));
    EXPECT_TRUE(said("before"));
    EXPECT_TRUE(said("difference"));
}

// Half of the cells are revealed, and the heads are moving.
TEST(Panels, motion_is_drawn_at_every_size) {
    State state = testing::cat();
    state.look.motion = true;
    Desk desk(std::move(state), testing::read_source);
    std::vector<std::string> within;
    for (std::size_t step = 0; step < desk->steps().size(); ++step)
        within.push_back("scrub " + std::to_string(step) + ".4");
    draw_everywhere(desk, within);
}

}  // namespace
}  // namespace headlight
