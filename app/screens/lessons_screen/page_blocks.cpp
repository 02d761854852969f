#include <fmt/format.h>

#include <algorithm>

#include "frame/field_row.h"
#include "frame/field_words.h"
#include "frame/value_text.h"
#include "lessons/read_lesson.h"
#include "lessons/reader.h"
#include "lessons_screen/page.h"

// A task of a stop, which needs its lesson.
namespace headlight::screens {

namespace {

// The controls beside a task: of those of its fields that apply here.
std::vector<const Field*> controls_of(const Frame& frame, const lessons::Task& task) {
    std::vector<const Field*> fields;
    for (const std::string& name : task.with)
        if (const Field* field = find_field(name);
            field != nullptr && is_shown(*field, frame.state, frame.trace))
            fields.push_back(field);
    return fields;
}

// How far it is: the measured side of its condition.
std::string state_of_task(const Frame& frame, const lessons::Task& task) {
    const std::string side(lessons::measured_side(task.until));
    const lessons::Measured* now = frame.reader->measured(side);
    if (now == nullptr || !now->value || std::holds_alternative<bool>(*now->value)) return "";
    const std::string value = value_text(*now->value);
    const Field* field = find_field(side);  // a choice is said as its control says it
    return "now " + (field == nullptr ? value : words_of(*field, value));
}

}  // namespace

void write_task(Page& page, const lessons::Task& task, bool done, int number) {
    Frame& frame = page.frame;
    const auto controls = controls_of(frame, task);
    float height = frame.line() * 2 + frame.px(4 + 8) +
                   page.writer.height(task.prose, inner_width(page), page.in_size({}));
    for (const Field* field : controls) height += field_height(frame, *field) + frame.px(4);
    card(page, height, done ? frame.colors().ok : 0, [&](Page& inside) {
        inside.caption("TRY IT");
        inside.write(task.prose);
        inside.gap(8);
        for (const Field* field : controls) {
            field_row(frame, *field, inside.rest.cut_top(field_height(frame, *field)));
            inside.gap(4);
        }
        ui::Rect row = inside.rest.cut_top(frame.line());
        ui::Canvas canvas(frame.ui);
        if (done) {
            ui::icon(canvas, ui::Icon::check, row.cut_left(frame.px(20)).center(), frame.px(12),
                     frame.colors().ok);
            const ui::TextStyle bold{.face = ui::Face::bold, .color = frame.colors().ok};
            canvas.label(row.cut_left(canvas.measure("done", bold) + frame.px(12)), "done", bold);
        }
        canvas.label(row, state_of_task(frame, task),
                     {.face = ui::Face::mono, .color = frame.colors().dim});
    });
    frame.ui.report(fmt::format("lesson.task.{}", number), done ? "done" : "open");
}

}  // namespace headlight::screens
