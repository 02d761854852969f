#pragma once

#include <span>
#include <string>

#include "lessons/reader.h"
#include "state/state.h"

// What a person has read and understood of a lesson.
namespace headlight::lessons {

// Counts. The right answer of a question was found at the first try, at the second, or missed; a
// question in none of these counts is still open.
struct Progress {
    int stops = 0, read = 0;
    int questions = 0, first_try = 0, second_try = 0, missed = 0;
    int tasks = 0, done = 0;

    [[nodiscard]] int right() const { return first_try + second_try; }
};

// place: what is remembered of the lesson; null: nothing.
Progress progress_of(const Lesson& lesson, const LessonPlace* place);

const LessonPlace* place_of(const State& state, const std::string& file);

// For people, a paragraph for each lesson that was begun: what was read, answered and done, and the
// titles of the stops whose questions were missed.
std::string progress_text(std::span<const ListedLesson> lessons, const State& state);

}  // namespace headlight::lessons
