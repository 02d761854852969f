#include "frame/memory.h"
#include "lessons_screen/lessons.h"

namespace headlight::screens {

namespace {

constexpr std::string_view kWords =
    "New here? A first look takes a minute: drag a shape and watch what the model makes of it.";

// The first picture, and nothing begun.
bool at_beginning(const Frame& frame) {
    return frame.state.look.screen == ScreenId::walk && !frame.in_lesson() &&
           frame.state.selection.step == Step::image;
}

}  // namespace

void lesson_offer(Frame& frame, ui::Rect& screen) {
    LessonOffer& offer = frame.memory.own<LessonOffer>();
    if (!at_beginning(frame)) offer = {};
    if (offer.lesson.empty()) return;
    const float high = frame.line() + frame.px(10), pad = frame.px(16);
    const ui::Rect bar = screen.cut_top(high + frame.px(16));
    ui::Canvas canvas(frame.ui);
    canvas.fill(bar, frame.colors().card);
    canvas.line({bar.x, bar.y + bar.h}, {bar.x + bar.w, bar.y + bar.h}, frame.colors().border);
    ui::Rect rest = bar.inset(pad, frame.px(8));
    const float no = ui::button_width(frame.ui, "Not now");
    const float yes = ui::button_width(frame.ui, "Take a first look");
    if (ui::button(frame.ui, "offer.no", rest.cut_right(no), "Not now", ui::ButtonLook::outlined,
                   "Lessons are always there   Ctrl+4")) {
        offer = {};
        frame.ui.ask_for_frame();
    }
    rest.cut_right(frame.px(8));
    if (ui::button(frame.ui, "offer.yes", rest.cut_right(yes), "Take a first look",
                   ui::ButtonLook::filled))
        frame.say("lesson", offer.lesson, "1");
    rest.cut_right(frame.px(12));
    canvas.label(rest, kWords, {.size = ui::Size::body});
    frame.ui.name("offer", {bar, {}});
}

}  // namespace headlight::screens
