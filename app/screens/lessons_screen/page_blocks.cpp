#include <fmt/format.h>

#include <algorithm>

#include "frame/field_row.h"
#include "frame/field_words.h"
#include "frame/scene_text.h"
#include "frame/value_text.h"
#include "lessons/read_lesson.h"
#include "lessons/reader.h"
#include "lessons_screen/page.h"
#include "trace/same_place.h"

// Draws a task of a stop, which needs its lesson.
namespace headlight::screens {

namespace {

// The controls of a task, for those of its fields that are available.
std::vector<const Field*> controls_of(const Frame& frame, const lessons::Task& task) {
    std::vector<const Field*> fields;
    for (const std::string& name : task.with)
        if (const Field* field = find_field(name);
            field != nullptr && is_shown(*field, frame.state, frame.trace))
            fields.push_back(field);
    return fields;
}

// A value of a comparison as the screen names it: a choice by the label on its control, a token by
// its place, a shape by its name.
std::string said(const Frame& frame, const lessons::Comparison& comparison,
                 const lessons::Value& value) {
    const std::string text = value_text(value);
    const auto* number = std::get_if<double>(&value);
    const bool token = comparison.side == "token", shape = comparison.side == "shape";
    if ((token || shape) && text.empty()) return "no " + comparison.side;
    if (token && number != nullptr)
        return token_and_place(frame.trace, static_cast<Index>(*number));
    const auto& scene = frame.recipe.scene;
    const bool known = number != nullptr && scene && *number >= 1 &&
                       *number <= static_cast<double>(scene->shapes.size());
    if (shape && known) return "the " + name_of_shape(*scene, static_cast<int>(*number) - 1);
    const Field* field = find_field(comparison.side);
    return field == nullptr ? text : words_of(*field, text);
}

std::string sign_in_words(std::string_view sign) {
    if (sign == ">") return "more than ";
    if (sign == "<") return "less than ";
    if (sign == ">=") return "at least ";
    if (sign == "<=") return "at most ";
    return "";
}

// Null if it is not known.
const lessons::Value* known_value(const Frame& frame, const std::string& expression) {
    const lessons::Measured* found = frame.reader->measured(expression);
    return found != nullptr && found->value ? &*found->value : nullptr;
}

bool is_now(const Frame& frame, const lessons::Comparison& comparison, bool truth) {
    const lessons::Value* holds = known_value(frame, comparison.whole);
    return holds != nullptr && *holds == lessons::Value{truth};
}

// The missing part of a comparison: "now 0.31, needs more than 0.9".
std::string state_of(const Frame& frame, const lessons::Comparison& comparison, bool done) {
    const lessons::Value* now = known_value(frame, comparison.side);
    const lessons::Value* other = known_value(frame, comparison.other);
    if (now == nullptr || std::holds_alternative<bool>(*now)) return "";
    const std::string text = "now " + said(frame, comparison, *now);
    if (done || other == nullptr || is_now(frame, comparison, true)) return text;
    if (comparison.sign == "!=") return text + ", needs a different one";
    // If the other side is measured too, it changes along with this one and is no target.
    if (comparison.other.find_first_of("([") != std::string::npos) return text;
    return text + ", needs " + sign_in_words(comparison.sign) + said(frame, comparison, *other);
}

// For the first comparison that does not hold yet, or else the first one.
std::string state_of_task(const Frame& frame, const lessons::Task& task, bool done) {
    const auto all = lessons::comparisons_in(task.until);
    if (all.empty()) return "";
    const auto open = std::ranges::find_if(all, [&](const lessons::Comparison& comparison) {
        return is_now(frame, comparison, false);
    });
    return state_of(frame, open == all.end() || done ? all.front() : *open, done);
}

void solution_button(Frame& frame, ui::Layout row, int number) {
    constexpr const char* kWords = "Show how";
    const float width = ui::button_width(frame.ui, kWords);
    if (ui::button(frame.ui, fmt::format("lesson.solve.{}", number), row.right(width), kWords,
                   ui::ButtonLook::plain, "Does the task for you. It does not count as done."))
        frame.say("lesson-solve", std::to_string(number));
}

}  // namespace

void write_task(Page& page, const lessons::Task& task, bool done, int number) {
    Frame& frame = page.frame;
    const auto controls = controls_of(frame, task);
    const std::string state = state_of_task(frame, task, done);
    const ui::TextStyle dim{.color = frame.colors().dim};
    // In large type it may need two lines.
    const float needed = ui::Canvas(frame.ui).measure_wrapped(state, dim, inner_width(page)).y;
    const bool says = done || !state.empty();
    const float below = done ? frame.line() : says ? std::max(frame.line(), needed) : 0;
    float height = frame.line() + below + frame.px(4) +
                   page.writer.height(task.prose, inner_width(page), page.in_size({}));
    for (const Field* field : controls) height += field_height(frame, *field) + frame.px(4);
    if (says || !controls.empty()) height += frame.px(8);
    card(page, height, done ? frame.colors().ok : 0, [&](Page& inside) {
        if (!done && !task.solution.empty())
            solution_button(frame,
                            {frame.ui, {inside.rest.x, inside.rest.y, inside.rest.w, frame.line()}},
                            number);
        inside.caption("TRY IT");
        inside.write(task.prose);
        if (says || !controls.empty()) inside.gap(8);
        for (const Field* field : controls) {
            field_row(frame, *field, inside.rest.top(field_height(frame, *field)));
            inside.gap(4);
        }
        ui::Layout row = inside.rest.top(below);
        ui::Canvas canvas(frame.ui);
        if (done) {
            ui::icon(canvas, ui::Icon::check, row.left(frame.px(20)).center(), frame.px(12),
                     frame.colors().ok);
            const ui::TextStyle bold{.face = ui::Face::bold, .color = frame.colors().ok};
            row.words_left("done", bold, 12);
        }
        if (done)
            canvas.label(row, state, dim);
        else
            canvas.wrapped(row, state, dim);
        frame.ui.report(fmt::format("lesson.task.{}.state", number), state);
    });
    frame.ui.report(fmt::format("lesson.task.{}", number), done ? "done" : "open");
}

}  // namespace headlight::screens
