#include "lecture/lesson_check.h"

#include <algorithm>

#include "disk/files.h"
#include "frame/tensor_text.h"
#include "lessons/read_lesson.h"
#include "lessons_screen/lessons.h"
#include "program/values.h"
#include "state/fields.h"

namespace headlight::app {

LessonCheck::LessonCheck(const std::filesystem::path& file) : at_(file) {}

std::vector<lessons::Problem> LessonCheck::problems() {
    found_ = at_.reader().lesson()->problems;
    std::vector<State> states;
    for (std::size_t i = 0; i < lesson().stops.size(); ++i) {
        at_.go_to(i);
        states.push_back(at_.work().state());
        take_problems();
        at_.describe();
        look_at(i);
        do_tasks(i);
    }
    look_at_lecture();
    expect_the_same(states);
    std::ranges::stable_sort(found_, {}, &lessons::Problem::line);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
}

void LessonCheck::take_problems() {
    for (lessons::Problem& problem : at_.reader().problems())
        if (std::ranges::find(found_, problem) == found_.end())
            found_.push_back(std::move(problem));
}

void LessonCheck::look_at(std::size_t number) {
    const lessons::Stop& stop = lesson().stops[number];
    for (const lessons::Spotlight& spotlight : at_.reader().spotlights())
        if (!at_.ui().area(spotlight.place)) {
            nowhere_.insert(spotlight.line);
            complain(spotlight.line,
                     "nothing on the screen is called " + in_quotes(spotlight.place) + ".");
        } else if (!screens::lit_place(at_.ui(), spotlight.place, OffscreenLesson::kWindow))
            complain(spotlight.line, in_quotes(spotlight.place) + " is out of sight.");
    for (std::size_t i = 0; i < stop.blocks.size(); ++i)
        if (at_.reader().done(i))
            complain(stop.blocks[i].line, "the task is already done at the start.");
    look_at_blocks(stop);
}

// Checks that callout targets are also visible in lecture view.
void LessonCheck::look_at_lecture() {
    (void)at_.work().apply(command("set", "lecture", "on"));
    for (std::size_t i = 0; i < lesson().stops.size(); ++i) {
        at_.go_to(i);
        if (at_.reader().spotlights().empty()) continue;
        at_.describe();
        for (const lessons::Spotlight& spotlight : at_.reader().spotlights())
            if (!nowhere_.contains(spotlight.line) &&
                !screens::lit_place(at_.ui(), spotlight.place, OffscreenLesson::kWindow))
                complain(spotlight.line,
                         in_quotes(spotlight.place) + " is out of sight in lecture view.");
    }
    (void)at_.work().apply(command("set", "lecture", "off"));
    at_.settle();
}

void LessonCheck::look_at_blocks(const lessons::Stop& stop) {
    for (const lessons::Block& block : stop.blocks) {
        for (const lessons::Prose* prose : lessons::proses_of(block)) look_at(*prose);
        if (const auto* picture = std::get_if<lessons::Picture>(&block.what);
            picture != nullptr && !at_.reader().picture(picture->file))
            complain(block.line,
                     "there is no picture " + in_quotes(picture->file) + " that can be read.");
        const auto* task = std::get_if<lessons::Task>(&block.what);
        if (task == nullptr) continue;
        const auto* until = at_.reader().measured(task->until);
        if (until != nullptr && until->value && !std::holds_alternative<bool>(*until->value))
            complain(block.line, "expected a condition after \"until:\", found " +
                                     in_quotes(task->until) + ".");
        for (const std::string& name : task->with)
            if (find_field(name) == nullptr)
                complain(block.line, "there is no field " + in_quotes(name) + ".");
    }
}

void LessonCheck::look_at(const lessons::Prose& prose) {
    for (const lessons::Span& span : prose) {
        if (!span.link.empty()) follow(span);
        const auto* condition =
            span.condition.empty() ? nullptr : at_.reader().measured(span.condition);
        if (condition != nullptr && condition->value &&
            !std::holds_alternative<bool>(*condition->value))
            complain(span.line,
                     "expected a condition after \"if\", found " + in_quotes(span.condition) + ".");
    }
}

// Executes a link's command as a test; the next stop resets the state.
void LessonCheck::follow(const lessons::Span& span) {
    try {
        const lessons::Link link = lessons::parse_link(span.link);
        if (link.kind == lessons::LinkKind::symbol) {
            const auto tensor = screens::tensor_named(link.to);
            if (!tensor || !at_.work().trace()->has(*tensor))
                complain(span.line, "there is no matrix " + in_quotes(link.to) + " here.");
        } else if (link.kind == lessons::LinkKind::lesson) {
            const auto folder = std::filesystem::path(at_.reader().file()).parent_path();
            if (!is_file(folder / link.to))
                complain(span.line, "there is no lesson " + in_quotes(link.to) + ".");
        } else if (link.kind == lessons::LinkKind::command) {
            at_.work().command_table().obey(at_.reader().checked(parse_command(link.to)));
            at_.settle();
        }
    } catch (const CommandError& error) {
        complain(span.line, error.what());
    }
}

// An unsolvable task would block a course. Each task starts from the stop's setup.
void LessonCheck::do_tasks(std::size_t stop) {
    const auto& blocks = lesson().stops[stop].blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto* task = std::get_if<lessons::Task>(&blocks[i].what);
        if (task == nullptr) continue;
        if (task->solution.empty()) {
            complain(blocks[i].line,
                     "expected a line \"solution: COMMAND\" in the task, found none.");
            continue;
        }
        at_.go_to(stop);
        at_.work().command_table().obey(
            command("lesson-solve", std::to_string(lessons::number_in(lesson().stops[stop], i))));
        at_.settle();
        at_.describe();
        take_problems();
        if (!at_.reader().done(i)) complain(blocks[i].line, "its solution does not do the task.");
    }
}

void LessonCheck::expect_the_same(const std::vector<State>& states) {
    for (std::size_t i = states.size(); i-- > 0;) {
        at_.go_to(i);
        if (!same_choices(at_.work().state(), states[i]))
            complain(lesson().stops[i].line,
                     "this stop looks different when you come back to it from the next one.");
    }
}

}  // namespace headlight::app
