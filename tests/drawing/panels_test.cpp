#include <gtest/gtest.h>

#include <cstdlib>

#include "pane.h"
#include "walks.h"

// What lies over the walk or stands in its place, in windows with and without room.
namespace headlight {
namespace {

using testing::Desk;
using testing::Pane;
using testing::PaneSize;

constexpr PaneSize kSizes[] = {{320, 240}, {640, 480}, {960, 600}, {1920, 1080}};

// In all sizes and types; twice, because windows are as large as they want to be only then.
void draw_everywhere(Desk& desk) {
    Pane pane;
    for (const char* lecture : {"set lecture false", "set lecture true"}) {
        desk.say(lecture);
        for (const float scale : {1.0F, 2.0F})
            for (const PaneSize size : kSizes)
                for (int frame = 0; frame < 2; ++frame) pane.draw(desk, size, scale);
    }
}

TEST(Panels, are_drawn_at_every_size) {
    Desk desk(testing::cat(), testing::read_source);
    for (const char* panel : {"show files", "show model", "show help", "show about"}) {
        ASSERT_TRUE(desk.say(panel));
        draw_everywhere(desk);
    }
}

TEST(Panels, are_drawn_without_assets) {
    setenv("HEADLIGHT_ASSETS", "/there/is/no/such/folder", 1);
    Desk desk(testing::cat(), testing::read_source);
    for (const char* panel : {"show files", "show about"}) {
        ASSERT_TRUE(desk.say(panel));
        draw_everywhere(desk);
    }
    unsetenv("HEADLIGHT_ASSETS");
}

TEST(Panels, long_notices_are_drawn_at_every_size) {
    Desk desk(testing::cat(), testing::read_source);
    desk->warn(std::string(300, 'w') + " as long as a path can be.\nimport torch\nprint(“é”)");
    draw_everywhere(desk);
}

TEST(Panels, a_start_without_a_picture_is_drawn_at_every_size) {
    Desk desk(State{}, testing::read_source);
    draw_everywhere(desk);
    desk->warn("There is nothing to see. " + std::string(300, 'w'));
    draw_everywhere(desk);
    ASSERT_TRUE(desk.say("show files"));
    draw_everywhere(desk);
}

TEST(Panels, all_layers_are_drawn_at_every_size) {
    const testing::Walk walk = testing::all_walks()[1];
    Desk desk(testing::cat(), testing::read_source);
    ASSERT_NO_FATAL_FAILURE(say_all(desk, walk.open));
    ASSERT_NO_FATAL_FAILURE(say_all(desk, {"set all_layers true", "set rollout mean",
                                           "set rollout_shown true", "switch-head 1 1"}));
    draw_everywhere(desk);
}

// Half of the cells are formed, the heads are on their way.
TEST(Panels, motion_is_drawn_at_every_size) {
    State state = testing::cat();
    state.look.motion = true;
    Desk desk(std::move(state), testing::read_source);
    const int count = static_cast<int>(desk->steps().size());
    for (int step = 0; step < count; ++step) {
        ASSERT_TRUE(desk.say("scrub " + std::to_string(step) + ".4"));
        draw_everywhere(desk);
    }
}

}  // namespace
}  // namespace headlight
