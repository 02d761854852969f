#include "lecture/presentation.h"

#include <gtest/gtest.h>

#include <string>

namespace headlight::app {
namespace {

constexpr Presentation::Circumstances kNothing{}, kLesson{true, false, false},
    kLecture{true, true, false}, kHall{true, true, true}, kDesk{true, false, true};

Moment at(double seconds) { return {seconds, 600}; }

TEST(Presentation, begins_with_a_lesson_in_lecture_view) {
    Presentation presentation;
    presentation.follow(at(10), kLesson);
    EXPECT_EQ(presentation.elapsed(), 0);
    presentation.follow(at(20), kLecture);
    presentation.follow(at(65), kLecture);
    EXPECT_EQ(presentation.elapsed(), 45);
    presentation.follow(at(70), kLesson);  // temporarily out of lecture view
    EXPECT_EQ(presentation.elapsed(), 50);
    presentation.restart();
    presentation.follow(at(73), kLecture);
    EXPECT_EQ(presentation.elapsed(), 3);
    presentation.follow(at(80), kNothing);  // the next lecture starts from zero
    presentation.follow(at(90), kLecture);
    EXPECT_EQ(presentation.elapsed(), 0);
}

TEST(Presentation, opens_no_window_by_itself_on_one_monitor) {
    Presentation presentation;
    presentation.follow(at(0), kLecture);
    EXPECT_FALSE(presentation.is_open());
    EXPECT_FALSE(presentation.is_staged());
    presentation.open(true);
    presentation.follow(at(1), kLecture);
    EXPECT_TRUE(presentation.is_open());
    presentation.follow(at(2), kNothing);
    EXPECT_FALSE(presentation.is_open());
}

TEST(Presentation, opens_a_window_on_a_second_monitor_once) {
    Presentation presentation;
    presentation.follow(at(0), kDesk);
    EXPECT_FALSE(presentation.is_open());
    presentation.follow(at(1), kHall);
    EXPECT_TRUE(presentation.is_open() && presentation.is_staged());
    presentation.open(false);
    presentation.follow(at(2), kHall);
    EXPECT_FALSE(presentation.is_open());
    EXPECT_TRUE(presentation.is_staged());  // for the audience
    presentation.follow(at(3), kDesk);
    presentation.follow(at(4), kHall);  // another lecture
    EXPECT_TRUE(presentation.is_open());
}

TEST(Presentation, outlives_a_monitor_that_is_unplugged) {
    Presentation presentation;
    presentation.follow(at(0), kHall);
    presentation.follow(at(9), kLecture);
    EXPECT_FALSE(presentation.is_open());  // it would cover the lecture
    EXPECT_EQ(presentation.elapsed(), 9);
    presentation.follow(at(10), kHall);
    EXPECT_TRUE(presentation.is_open());
    presentation.open(true);  // opened by the user: it stays
    presentation.follow(at(11), kLecture);
    EXPECT_TRUE(presentation.is_open());
}

TEST(Presentation, swaps_until_there_is_nothing_to_swap) {
    Presentation presentation;
    presentation.follow(at(0), kHall);
    presentation.swap();
    EXPECT_TRUE(presentation.is_swapped());
    presentation.follow(at(1), kLecture);
    EXPECT_FALSE(presentation.is_swapped());
}

TEST(Presentation, knows_the_keys_of_a_clicker) {
    Presentation presentation;
    for (const char* key : {"→", "PageDown", "Space", "Enter"})
        EXPECT_EQ(presentation.hear(key).command, "lesson-stop next") << key;
    for (const char* key : {"←", "PageUp", "Backspace"})
        EXPECT_EQ(presentation.hear(key).command, "lesson-stop previous") << key;
    EXPECT_EQ(presentation.hear("R").command, "presenter restart");
    for (const char* key : {".", "T", "F11", "Ctrl+N", "L", "Escape"})
        EXPECT_EQ(presentation.hear(key), (Presentation::Meaning{key, ""})) << key;
    EXPECT_EQ(presentation.hear("↓"), Presentation::Meaning{});
}

TEST(Presentation, takes_the_number_of_a_stop) {
    Presentation presentation;
    for (const char* key : {"0", "1", "2"})
        EXPECT_EQ(presentation.hear(key), Presentation::Meaning{});
    EXPECT_EQ(presentation.typed(), "12");
    EXPECT_EQ(presentation.hear("Enter").command, "lesson-stop 12");
    EXPECT_EQ(presentation.typed(), "");
    EXPECT_EQ(presentation.hear("Enter").command, "lesson-stop next");
    presentation.hear("7");
    EXPECT_EQ(presentation.hear("Backspace"), Presentation::Meaning{});
    EXPECT_EQ(presentation.typed(), "");
    presentation.hear("7");
    EXPECT_EQ(presentation.hear("Escape"), Presentation::Meaning{});
    EXPECT_EQ(presentation.typed(), "");
    presentation.hear("7");
    EXPECT_EQ(presentation.hear("→").command, "lesson-stop next");
    EXPECT_EQ(presentation.typed(), "");
    for (int i = 0; i < 9; ++i) presentation.hear("9");
    EXPECT_EQ(presentation.typed(), "999");
}

}  // namespace
}  // namespace headlight::app
