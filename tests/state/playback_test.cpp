#include "state/playback.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr Step kLast = Step::skip;  // of a bare layer, whose steps are walked at first
constexpr int kSteps = 12;

struct Playing : ::testing::Test {
    Playback playback;
    Look look;
    Step step = Step::image;
    bool on(double seconds) { return playback.advance(seconds, look, step); }
};

TEST_F(Playing, time_without_play_moves_nothing) {
    EXPECT_FALSE(on(100));
    EXPECT_EQ(step, Step::image);
    EXPECT_EQ(playback.phase(), 1.0);
}

TEST_F(Playing, each_step_takes_three_seconds) {
    playback.scrub(3, step);
    playback.play(step);
    EXPECT_FALSE(on(1.5));
    EXPECT_EQ(step, Step::qkv);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.5);
    EXPECT_TRUE(on(1.5));
    EXPECT_EQ(step, Step::heads);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.0);
}

TEST_F(Playing, a_sentence_is_given_time_to_be_read) {
    look.follow_cell = true;
    playback.scrub(3, step);
    playback.play(step);
    EXPECT_FALSE(on(6.5));
    EXPECT_TRUE(on(0.5));
    look.motion = false;
    EXPECT_FALSE(on(6.5));
    EXPECT_TRUE(on(0.5));
}

TEST_F(Playing, frames_add_up_however_they_are_cut) {
    playback.scrub(0, step);
    playback.play(step);
    for (int frame = 0; frame < 600; ++frame) on(1.0 / 60);
    EXPECT_EQ(step, Step::qkv);  // ten seconds: three steps and a third
    EXPECT_NEAR(playback.phase(), 1.0 / 3, 1e-6);
}

TEST_F(Playing, speed_divides_the_time) {
    playback.scrub(3, step);
    look.speed = 2;
    playback.play(step);
    on(0.75);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.5);
}

TEST_F(Playing, from_rest_it_goes_on_to_the_next_step) {
    playback.play(step);
    EXPECT_TRUE(on(0.3));
    EXPECT_EQ(step, Step::patches);
    EXPECT_NEAR(playback.phase(), 0.1, 1e-12);
}

TEST_F(Playing, the_end_is_the_last_step_at_rest) {
    playback.play(step);
    on(1e6);
    EXPECT_EQ(step, kLast);
    EXPECT_EQ(playback.phase(), 1.0);
    EXPECT_FALSE(playback.playing());
    playback.play(step);  // from the start again
    EXPECT_EQ(step, Step::image);
    EXPECT_EQ(playback.phase(), 0.0);
    EXPECT_TRUE(playback.playing());
}

TEST_F(Playing, odd_times_do_no_harm) {
    playback.scrub(2.5, step);
    playback.play(step);
    for (const double odd : {0.0, -5.0, std::nan("")}) {
        EXPECT_FALSE(on(odd));
        EXPECT_DOUBLE_EQ(playback.phase(), 0.5);
    }
    on(std::numeric_limits<double>::infinity());
    EXPECT_EQ(step, kLast);
}

TEST_F(Playing, without_motion_it_rests_on_each_step) {
    look.motion = false;
    playback.play(step);
    EXPECT_FALSE(on(1.4));
    EXPECT_EQ(playback.phase(), 1.0);
    EXPECT_TRUE(on(0.1));
    EXPECT_EQ(step, Step::patches);
    EXPECT_EQ(playback.phase(), 1.0);
    on(1.5 * (kSteps - 2));
    EXPECT_EQ(step, kLast);
    EXPECT_TRUE(playback.playing());
    on(1.5);
    EXPECT_FALSE(playback.playing());
}

TEST_F(Playing, pause_keeps_the_place) {
    playback.scrub(3.25, step);
    playback.play(step);
    playback.pause();
    on(5);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.25);
    playback.play(step);
    on(0.75);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.5);
}

TEST_F(Playing, scrub_is_a_step_and_its_phase) {
    playback.play(step);
    playback.scrub(5.25, step);
    EXPECT_FALSE(playback.playing());
    EXPECT_EQ(step, Step::products);
    EXPECT_DOUBLE_EQ(playback.phase(), 0.25);
    playback.scrub(5, step);
    EXPECT_EQ(step, Step::products);
    EXPECT_EQ(playback.phase(), 0.0);
    playback.scrub(0, step);
    EXPECT_EQ(step, Step::image);
    playback.scrub(kSteps, step);
    EXPECT_EQ(step, kLast);
    EXPECT_EQ(playback.phase(), 1.0);
}

TEST_F(Playing, walks_over_the_steps_of_a_model) {
    playback.walk({Step::image, Step::norm1, Step::skip, Step::residual2, Step::classify});
    playback.scrub(3.5, step);
    EXPECT_EQ(step, Step::residual2);
    playback.next_stop(step);
    playback.next_stop(step);
    EXPECT_EQ(step, Step::classify);
    playback.next_stop(step);
    EXPECT_EQ(step, Step::classify);
    playback.previous_stop(step);
    EXPECT_EQ(step, Step::residual2);
}

TEST_F(Playing, every_step_has_stops_and_softmax_three) {
    for (const StepInfo& info : all_steps()) {
        const auto& stops = stops_of(info.id);
        EXPECT_EQ(stops.size(), info.id == Step::softmax ? 3U : 1U);
        EXPECT_EQ(stops.back(), 1.0);
    }
}

TEST_F(Playing, a_clicker_walks_over_all_stops_and_back) {
    const int stops = kSteps + 2;
    for (int i = 1; i < stops; ++i) {
        const Step before = step;
        const double phase = playback.phase();
        playback.next_stop(step);
        EXPECT_TRUE(step != before || playback.phase() > phase);
        if (i == 7) {
            EXPECT_EQ(step, Step::softmax);
            EXPECT_DOUBLE_EQ(playback.phase(), 1.0 / 3);
        }
    }
    EXPECT_EQ(step, kLast);
    playback.next_stop(step);
    EXPECT_EQ(step, kLast);
    EXPECT_EQ(playback.phase(), 1.0);
    for (int i = 1; i < stops; ++i) playback.previous_stop(step);
    EXPECT_EQ(step, Step::image);
    EXPECT_EQ(playback.phase(), 1.0);
    playback.previous_stop(step);
    EXPECT_EQ(step, Step::image);
}

TEST_F(Playing, stops_from_the_middle_of_a_motion) {
    playback.scrub(7.5, step);
    playback.next_stop(step);
    EXPECT_DOUBLE_EQ(playback.phase(), 2.0 / 3);
    playback.scrub(7.5, step);
    playback.previous_stop(step);
    EXPECT_DOUBLE_EQ(playback.phase(), 1.0 / 3);
    playback.scrub(5.5, step);
    playback.previous_stop(step);
    EXPECT_EQ(step, Step::heads);
    EXPECT_EQ(playback.phase(), 1.0);
}

}  // namespace
}  // namespace headlight
