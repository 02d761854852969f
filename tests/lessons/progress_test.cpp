#include "lessons/progress.h"

#include <gtest/gtest.h>

#include <memory>

#include "lessons/read_lesson.h"

namespace headlight::lessons {
namespace {

const std::shared_ptr<const Lesson>& lesson_of_two_stops() {
    static const auto lesson = std::make_shared<const Lesson>(read_lesson(R"~(# Scores

## One
? A?
- [x] a
- b
- c

? B?
- a
- [x] b

! Do it.
until: temperature < 0.5

## Two
? C?
- [x] a
- b
)~"));
    return lesson;
}

LessonPlace place_with_marks() {
    return {"/scores.md",
            0,
            0,
            {{0, 1, LessonResult::second_try},
             {0, 2, LessonResult::missed},
             {0, 1, LessonResult::done}}};
}

TEST(Progress, of_a_lesson_that_was_not_begun_counts_what_there_is) {
    const Progress progress = progress_of(*lesson_of_two_stops(), nullptr);
    EXPECT_EQ(progress.stops, 2);
    EXPECT_EQ(progress.questions, 3);
    EXPECT_EQ(progress.tasks, 1);
    EXPECT_EQ(progress.read + progress.right() + progress.missed + progress.done, 0);
}

TEST(Progress, counts_what_was_answered_and_done) {
    LessonPlace place = place_with_marks();
    place.marks.push_back({7, 1, LessonResult::first_try});  // the stop no longer exists
    const Progress progress = progress_of(*lesson_of_two_stops(), &place);
    EXPECT_EQ(progress.read, 1);
    EXPECT_EQ(progress.first_try, 0);
    EXPECT_EQ(progress.second_try, 1);
    EXPECT_EQ(progress.missed, 1);
    EXPECT_EQ(progress.done, 1);
}

TEST(Progress, as_text_names_the_stops_to_read_again) {
    const std::vector<ListedLesson> listed{{"/scores.md", lesson_of_two_stops()},
                                           {"/other.md", lesson_of_two_stops()}};
    State state;
    EXPECT_EQ(progress_text(listed, state), "");
    state.lessons = {place_with_marks()};
    EXPECT_EQ(progress_text(listed, state),
              "Scores\n"
              "  1 of 2 stops read\n"
              "  1 of 3 questions answered correctly, 1 of them on the second try\n"
              "  1 of 1 tasks done\n"
              "  read again: 1 One\n");
}

}  // namespace
}  // namespace headlight::lessons
