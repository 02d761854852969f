#include "platform/talk.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight::platform {
namespace {

constexpr Talk::Circumstances kNothing{}, kLesson{true, false, false}, kLecture{true, true, false},
    kHall{true, true, true}, kDesk{true, false, true};

Moment at(double seconds) { return {seconds, 600}; }

TEST(Talk, begins_with_a_lesson_in_lecture_view) {
    Talk talk;
    talk.follow(at(10), kLesson);
    EXPECT_EQ(talk.elapsed(), 0);
    talk.follow(at(20), kLecture);
    talk.follow(at(65), kLecture);
    EXPECT_EQ(talk.elapsed(), 45);
    talk.follow(at(70), kLesson);  // a look at something else
    EXPECT_EQ(talk.elapsed(), 50);
    talk.restart();
    talk.follow(at(73), kLecture);
    EXPECT_EQ(talk.elapsed(), 3);
    talk.follow(at(80), kNothing);  // the next one begins anew
    talk.follow(at(90), kLecture);
    EXPECT_EQ(talk.elapsed(), 0);
}

TEST(Talk, opens_no_window_by_itself_on_one_monitor) {
    Talk talk;
    talk.follow(at(0), kLecture);
    EXPECT_FALSE(talk.is_open());
    EXPECT_FALSE(talk.is_staged());
    talk.open(true);
    talk.follow(at(1), kLecture);
    EXPECT_TRUE(talk.is_open());
    talk.follow(at(2), kNothing);
    EXPECT_FALSE(talk.is_open());
}

TEST(Talk, opens_a_window_on_a_second_monitor_once) {
    Talk talk;
    talk.follow(at(0), kDesk);
    EXPECT_FALSE(talk.is_open());
    talk.follow(at(1), kHall);
    EXPECT_TRUE(talk.is_open() && talk.is_staged());
    talk.open(false);
    talk.follow(at(2), kHall);
    EXPECT_FALSE(talk.is_open());
    EXPECT_TRUE(talk.is_staged());  // the room goes on looking
    talk.follow(at(3), kDesk);
    talk.follow(at(4), kHall);  // another lecture
    EXPECT_TRUE(talk.is_open());
}

TEST(Talk, outlives_a_monitor_that_is_unplugged) {
    Talk talk;
    talk.follow(at(0), kHall);
    talk.follow(at(9), kLecture);
    EXPECT_FALSE(talk.is_open());  // it would stand before the lecture
    EXPECT_EQ(talk.elapsed(), 9);
    talk.follow(at(10), kHall);
    EXPECT_TRUE(talk.is_open());
    talk.open(true);  // by hand: then it stays
    talk.follow(at(11), kLecture);
    EXPECT_TRUE(talk.is_open());
}

TEST(Talk, swaps_until_there_is_nothing_to_swap) {
    Talk talk;
    talk.follow(at(0), kHall);
    talk.swap();
    EXPECT_TRUE(talk.is_swapped());
    talk.follow(at(1), kLecture);
    EXPECT_FALSE(talk.is_swapped());
}

TEST(Talk, knows_the_keys_of_a_clicker) {
    Talk talk;
    for (const char* key : {"→", "PageDown", "Space", "Enter"})
        EXPECT_EQ(talk.hear(key).command, "lesson-stop next") << key;
    for (const char* key : {"←", "PageUp", "Backspace"})
        EXPECT_EQ(talk.hear(key).command, "lesson-stop previous") << key;
    EXPECT_EQ(talk.hear("R").command, "presenter restart");
    for (const char* key : {".", "T", "F11", "Ctrl+N", "L", "Escape"})
        EXPECT_EQ(talk.hear(key), (Talk::Meaning{key, ""})) << key;
    EXPECT_EQ(talk.hear("↓"), Talk::Meaning{});
}

TEST(Talk, takes_the_number_of_a_stop) {
    Talk talk;
    for (const char* key : {"0", "1", "2"}) EXPECT_EQ(talk.hear(key), Talk::Meaning{});
    EXPECT_EQ(talk.typed(), "12");
    EXPECT_EQ(talk.hear("Enter").command, "lesson-stop 12");
    EXPECT_EQ(talk.typed(), "");
    EXPECT_EQ(talk.hear("Enter").command, "lesson-stop next");
    talk.hear("7");
    EXPECT_EQ(talk.hear("Backspace"), Talk::Meaning{});
    EXPECT_EQ(talk.typed(), "");
    talk.hear("7");
    EXPECT_EQ(talk.hear("Escape"), Talk::Meaning{});
    EXPECT_EQ(talk.typed(), "");
    talk.hear("7");
    EXPECT_EQ(talk.hear("→").command, "lesson-stop next");
    EXPECT_EQ(talk.typed(), "");
    for (int i = 0; i < 9; ++i) talk.hear("9");
    EXPECT_EQ(talk.typed(), "999");
}

}  // namespace
}  // namespace headlight::platform
