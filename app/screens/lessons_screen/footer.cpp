#include <algorithm>

#include "lessons/reader.h"
#include "lessons_screen/lessons.h"

namespace headlight::screens {

namespace {

// One for each stop; a click opens it.
void dots(Frame& frame, const ui::Rect& rect) {
    const auto& stops = frame.reader->lesson()->stops;
    const auto count = static_cast<float>(stops.size());
    const float least = frame.px(3);
    const float gap =
        std::clamp((rect.w - least * count) / std::max(1.0F, count - 1), frame.px(2), frame.px(8));
    const float width = std::clamp((rect.w - gap * (count - 1)) / count, least, frame.px(30));
    float x = rect.center().x - (width * count + gap * (count - 1)) / 2;
    for (int i = 0; i < static_cast<int>(stops.size()); ++i) {
        const ui::Rect place{x, rect.y, width, rect.h};
        const auto mouse = ui::interact(frame.ui, "lesson.dot." + std::to_string(i + 1), place);
        const int present = frame.reader->stop_number();
        const float thick = frame.px(mouse.hovered ? 8 : 5);
        ui::Canvas(frame.ui).fill({x, rect.center().y - thick / 2, width, thick},
                                  i == present  ? frame.colors().text
                                  : i < present ? frame.colors().accent
                                                : frame.colors().border,
                                  thick / 2);
        if (mouse.hovered)
            frame.ui.tooltip(std::to_string(i + 1) + "  " +
                             stops[static_cast<std::size_t>(i)].title);
        if (mouse.clicked) frame.say("lesson-stop", std::to_string(i + 1));
        x += width + gap;
    }
}

}  // namespace

float lesson_footer_height(const Frame& frame) {
    return std::max(frame.px(frame.low ? 52.0F : 64.0F), frame.line() + frame.px(28));
}

void lesson_footer(Frame& frame, const ui::Rect& rect) {
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().bar);
    canvas.line({rect.x, rect.y}, {rect.x + rect.w, rect.y}, frame.colors().border);
    ui::Layout rest(frame.ui, rect.inset(frame.px(16), (rect.h - frame.line() - frame.px(12)) / 2));
    const int stop = frame.reader->stop_number(),
              count = static_cast<int>(frame.reader->lesson()->stops.size());
    const std::string_view back = frame.small ? "" : "Back";
    const float next = ui::button_width(frame.ui, "Next  →", ui::Icon::next);
    const float back_width =
        frame.small ? rest.h : ui::button_width(frame.ui, back, ui::Icon::previous);
    if (ui::button(frame.ui, "lesson.back", rest.left(back_width), back,
                   stop > 0 ? ui::ButtonLook::outlined : ui::ButtonLook::disabled,
                   "Previous stop   ←", ui::Icon::previous))
        frame.say("lesson-stop", "previous");
    if (ui::button(frame.ui, "lesson.next", rest.right(next), "Next  →",
                   stop + 1 < count ? ui::ButtonLook::filled : ui::ButtonLook::disabled,
                   stop + 1 < count ? "Next stop   →" : "This is the last stop", ui::Icon::next))
        frame.say("lesson-stop", "next");
    const std::string place = std::to_string(stop + 1) + " / " + std::to_string(count);
    const ui::TextStyle mono{
        .face = ui::Face::mono, .color = frame.colors().dim, .align = ui::Align::right};
    rest.skip_right(16);
    canvas.label(rest.right(canvas.measure("00 / 00", mono)), place, mono);
    const bool away = frame.reader->is_away();
    frame.ui.report("lesson.away", away ? "yes" : "no");
    const std::string again = away ? "Back to the stop" : "Reset this stop";
    const float width = ui::button_width(frame.ui, again);
    rest.skip_left(8);
    if (rest.w > width + frame.px(240) &&
        ui::button(frame.ui, "lesson.again", rest.left(width), again,
                   away ? ui::ButtonLook::filled : ui::ButtonLook::outlined,
                   "Brings this stop back to its beginning   R"))
        frame.say("lesson-stop", "again");
    dots(frame, rest.inset(frame.px(frame.small ? 8 : 24), 0));
}

}  // namespace headlight::screens
