#include "platform/monitors.h"

#include <gtest/gtest.h>

namespace headlight::app {
namespace {

const Box kNotebook{0, 0, 1920, 1200}, kProjector{1920, 0, 1280, 720}, kThird{-1600, 0, 1600, 900};

TEST(Seats, need_two_pictures) {
    const Box window{100, 100, 1600, 1000};
    EXPECT_FALSE(seats_for({}, window));
    EXPECT_FALSE(seats_for({kNotebook}, window));
    // A projector that mirrors the notebook, at any resolution.
    EXPECT_FALSE(seats_for({kNotebook, {0, 0, 1024, 768}}, window));
    EXPECT_FALSE(seats_for({kNotebook, {}}, window));  // switched off
}

TEST(Seats, give_the_projector_to_the_room) {
    EXPECT_EQ(seats_for({kNotebook, kProjector}, {100, 100, 1600, 1000}), (Seats{1, 0}));
    // Most of the window is on the notebook.
    EXPECT_EQ(seats_for({kNotebook, kProjector}, {900, 100, 1600, 1000}), (Seats{1, 0}));
    // Its title bar may be beyond the edge, or all of it out of view.
    EXPECT_EQ(seats_for({kNotebook, kProjector}, {0, -40, 800, 600}), (Seats{1, 0}));
    EXPECT_EQ(seats_for({kNotebook, kProjector}, {9000, 9000, 800, 600}), (Seats{1, 0}));
}

TEST(Seats, leave_a_window_where_somebody_put_it) {
    EXPECT_EQ(seats_for({kNotebook, kProjector}, {2000, 50, 1000, 600}), (Seats{1, 0}));
    EXPECT_EQ(seats_for({kNotebook, kProjector, kThird}, {-1500, 50, 1000, 600}), (Seats{2, 0}));
    EXPECT_EQ(seats_for({kNotebook, kProjector, kThird}, {0, 0, 800, 600}), (Seats{1, 0}));
}

TEST(Seats, skip_a_monitor_that_shows_the_first_ones_picture) {
    EXPECT_EQ(seats_for({kNotebook, {0, 0, 1280, 720}, kProjector}, {0, 0, 800, 600}),
              (Seats{2, 0}));
}

TEST(Sight, is_of_a_monitor_that_shows_more_than_half) {
    EXPECT_TRUE(is_on(kNotebook, {100, 100, 800, 600}));
    EXPECT_TRUE(is_on(kNotebook, {kNotebook.x, kNotebook.y, kNotebook.width, kNotebook.height}));
    EXPECT_FALSE(is_on(kProjector, {100, 100, 800, 600}));
    EXPECT_FALSE(
        is_on(kNotebook, {kProjector.x, kProjector.y, kProjector.width, kProjector.height}));
}

TEST(Sight, wants_enough_to_take_hold_of) {
    EXPECT_TRUE(is_in_sight({kNotebook}, {100, 100, 800, 600}));
    EXPECT_TRUE(is_in_sight({kNotebook}, {1800, 1100, 800, 600}));
    EXPECT_FALSE(is_in_sight({kNotebook}, {1910, 100, 800, 600}));
    EXPECT_FALSE(is_in_sight({kNotebook}, {2000, 100, 800, 600}));
    EXPECT_TRUE(is_in_sight({kNotebook, kProjector}, {2000, 100, 800, 600}));
    EXPECT_FALSE(is_in_sight({}, {0, 0, 800, 600}));
}

}  // namespace
}  // namespace headlight::app
