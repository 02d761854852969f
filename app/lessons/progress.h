#pragma once

#include <span>
#include <string>

#include "lessons/reader.h"
#include "state/state.h"

// What the user has read and answered in a lesson.
namespace headlight::lessons {

// Counts. A question's right answer was found at the first try, at the second, or missed. Questions
// in none of these counts are still open.
struct Progress {
    int stops = 0, read = 0;
    int questions = 0, first_try = 0, second_try = 0, missed = 0;
    int tasks = 0, done = 0;

    [[nodiscard]] int right() const { return first_try + second_try; }
};

// place: the stored progress of the lesson; may be null.
Progress progress_of(const Lesson& lesson, const LessonPlace* place);

const LessonPlace* place_of(const State& state, const std::string& file);

// A summary with one paragraph per started lesson: what was read, answered and done, and the titles
// of stops with missed questions.
std::string progress_text(std::span<const ListedLesson> lessons, const State& state);

}  // namespace headlight::lessons
