#include "lessons/progress.h"

#include <algorithm>

namespace headlight::lessons {

namespace {

int blocks_of(const Lesson& lesson, auto is) {
    int count = 0;
    for (const Stop& stop : lesson.stops)
        count += static_cast<int>(std::ranges::count_if(stop.blocks, is));
    return count;
}

std::string some_of(int some, int all, const std::string& what) {
    return std::to_string(some) + " of " + std::to_string(all) + " " + what;
}

std::string missed_stops(const Lesson& lesson, const LessonPlace& place) {
    std::string titles;
    for (std::size_t i = 0; i < lesson.stops.size(); ++i) {
        const bool missed = std::ranges::any_of(place.marks, [&](const LessonMark& mark) {
            return mark.stop == static_cast<int>(i) && mark.result == LessonResult::missed;
        });
        if (missed)
            titles +=
                (titles.empty() ? "" : "; ") + std::to_string(i + 1) + " " + lesson.stops[i].title;
    }
    return titles;
}

std::string paragraph(const Lesson& lesson, const LessonPlace& place) {
    const Progress progress = progress_of(lesson, &place);
    std::string text =
        lesson.title + "\n  " + some_of(progress.read, progress.stops, "stops read\n");
    if (progress.questions > 0)
        text += "  " +
                some_of(progress.right(), progress.questions, "questions answered correctly, ") +
                std::to_string(progress.second_try) + " of them on the second try\n";
    if (progress.tasks > 0) text += "  " + some_of(progress.done, progress.tasks, "tasks done\n");
    const std::string missed = missed_stops(lesson, place);
    if (!missed.empty()) text += "  read again: " + missed + "\n";
    return text;
}

}  // namespace

Progress progress_of(const Lesson& lesson, const LessonPlace* place) {
    Progress progress;
    progress.stops = static_cast<int>(lesson.stops.size());
    progress.questions =
        blocks_of(lesson, [](const Block& b) { return std::holds_alternative<Question>(b.what); });
    progress.tasks =
        blocks_of(lesson, [](const Block& b) { return std::holds_alternative<Task>(b.what); });
    if (place == nullptr) return progress;
    progress.read = std::min(place->furthest + 1, progress.stops);
    for (const LessonMark& mark : place->marks) {
        if (mark.stop >= progress.stops) continue;  // the lesson has been rewritten since
        progress.first_try += mark.result == LessonResult::first_try;
        progress.second_try += mark.result == LessonResult::second_try;
        progress.missed += mark.result == LessonResult::missed;
        progress.done += mark.result == LessonResult::done;
    }
    return progress;
}

const LessonPlace* place_of(const State& state, const std::string& file) {
    const auto found = std::ranges::find(state.lessons, file, &LessonPlace::file);
    return found == state.lessons.end() ? nullptr : &*found;
}

std::string progress_text(std::span<const ListedLesson> lessons, const State& state) {
    std::string text;
    for (const ListedLesson& listed : lessons)
        if (const LessonPlace* place = place_of(state, listed.file))
            text += (text.empty() ? "" : "\n") + paragraph(*listed.lesson, *place);
    return text;
}

}  // namespace headlight::lessons
