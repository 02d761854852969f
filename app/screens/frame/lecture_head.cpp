#include "frame/lecture_head.h"

#include <fmt/format.h>

#include <algorithm>

#include "lessons/reader.h"
#include "ui/window.h"

namespace headlight::screens {

namespace {

constexpr float kMargin = 20;  // units at the sides of the window

// Mouse navigation: back, the current stop, and forward.
void ways_on(Frame& frame, ui::Layout& row) {
    const int stop = frame.reader->stop_number(),
              count = static_cast<int>(frame.reader->lesson()->stops.size());
    const std::string place = fmt::format("{} / {}", stop + 1, count);
    const ui::TextStyle dim{
        .size = ui::Size::body, .color = frame.colors().dim, .align = ui::Align::center};
    const float words = ui::Canvas(frame.ui).measure(place, dim) + frame.px(8);
    const float each = frame.line() + frame.px(8);
    if (row.w < words + 2 * each) return;
    const auto button = [&](const char* name, const ui::Rect& at, const char* tip, ui::Icon icon,
                            const char* to, bool works) {
        const auto look = works ? ui::ButtonLook::plain : ui::ButtonLook::disabled;
        const ui::Rect place_of{at.x, at.center().y - each / 2, at.w, each};
        if (ui::button(frame.ui, name, place_of, "", look, tip, icon)) frame.say("lesson-stop", to);
    };
    button("lesson.next", row.right(each), "Next stop   →", ui::Icon::next, "next",
           stop + 1 < count);
    ui::Canvas(frame.ui).label(row.right(words), place, dim);
    button("lesson.back", row.right(each, 12), "Previous stop   ←", ui::Icon::previous, "previous",
           stop > 0);
}

// A button back to the stop, if the user has left it or changed something.
void way_back(Frame& frame, ui::Layout& row) {
    const bool away = frame.reader->is_away();
    frame.ui.report("lesson.away", away ? "yes" : "no");
    if (!away && !frame.reader->is_changed()) return;
    const std::string label = away ? "Back to the stop" : "Reset";
    const float wide = ui::button_width(frame.ui, label), high = frame.line() + frame.px(10);
    if (row.w < wide) return;
    ui::Rect place = row.right(wide);
    place = {place.x, place.center().y - high / 2, place.w, high};
    row.skip_right(12);
    if (ui::button(frame.ui, "lesson.again", place, label,
                   away ? ui::ButtonLook::filled : ui::ButtonLook::outlined,
                   "Brings this stop back to its beginning   R"))
        frame.say("lesson-stop", "again");
}

}  // namespace

float lecture_head_height(const Frame& frame) {
    return frame.ui.fonts().pixels(ui::Size::large) + frame.px(8);
}

float lecture_exit_width(const Frame& frame) { return frame.line() + frame.px(16); }

void lecture_exit(Frame& frame, const ui::Rect& window) {
    const float side = frame.line() + frame.px(8), edge = frame.px(8);
    const ui::Rect place{window.x + window.w - side - edge,
                         window.y + (lecture_head_height(frame) - side) / 2, side, side};
    // A window of its own, because lists and matrices below take the mouse.
    ui::begin_window("lecture.exit", place,
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    const auto mouse = ui::interact(frame.ui, "top.lecture", place);
    ui::Canvas canvas(frame.ui);
    if (mouse.hovered) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        canvas.fill(place, frame.colors().hover, frame.px(6));
        frame.ui.tooltip("Leave lecture view   F11");
    }
    ui::icon(canvas, ui::Icon::close, place.center(), frame.line() * 0.6F,
             mouse.hovered ? frame.colors().text : frame.colors().dim);
    if (mouse.clicked) frame.set("lecture", "off");
    ImGui::End();
}

ui::Rect lecture_head(Frame& frame, ui::Layout& rect, std::string_view title) {
    if (frame.at_stop()) title = frame.reader->stop().title;
    ui::Layout row(frame.ui, rect.top(lecture_head_height(frame)), kMargin);
    row.right(std::max(0.0F, lecture_exit_width(frame) - frame.px(kMargin)));
    rect.right(frame.beside);
    if (frame.in_lesson()) {
        frame.ui.report("lesson.stop", std::to_string(frame.reader->stop_number() + 1));
        frame.ui.report("lesson.title", frame.reader->stop().title);
        ways_on(frame, row);
        way_back(frame, row);
    }
    ui::Canvas canvas(frame.ui);
    ui::TextStyle style{.face = ui::Face::bold, .size = ui::Size::large};
    if (canvas.measure(title, style) > row.w) style.size = ui::Size::body;
    if (canvas.measure(title, style) > row.w) style.size = ui::Size::small;
    const float width = canvas.measure(title, style);
    canvas.label(row.left(width + 1, 24), title, style);
    frame.ui.report("lecture.title", std::string(title));
    return row;
}

bool is_spoken_of(const Frame& frame, std::string_view beginning) {
    return frame.in_lesson() &&
           std::ranges::any_of(frame.reader->spotlights(),
                               [&](const lessons::Spotlight& spotlight) {
                                   return spotlight.place.starts_with(beginning);
                               });
}

bool speaks_only_of(const Frame& frame, std::string_view beginning, std::string_view other) {
    if (!frame.in_lesson() || frame.reader->spotlights().empty()) return false;
    return std::ranges::all_of(
        frame.reader->spotlights(), [&](const lessons::Spotlight& spotlight) {
            return spotlight.place.starts_with(beginning) || spotlight.place.starts_with(other);
        });
}

}  // namespace headlight::screens
