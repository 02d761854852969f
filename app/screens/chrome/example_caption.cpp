#include "chrome/example_caption.h"

namespace headlight::screens {

namespace {

constexpr float kAside = 12, kAbove = 6;

// Width of the text beside the close button.
float caption_width(const Frame& frame, float width) {
    return width - frame.px(3 * kAside) - frame.line(ui::Size::body);
}

std::string caption_words(const ExampleCaption& caption) {
    return caption.words + (caption.tried.empty() ? "" : " Try this: " + caption.tried);
}

}  // namespace

float example_caption_height(Frame& frame, float width) {
    const ExampleCaption* caption = frame.work.caption();
    if (caption == nullptr || frame.is_narrow()) return 0;
    frame.ui.report("example.caption", caption->title);
    const float words =
        ui::Canvas(frame.ui)
            .measure_wrapped(caption_words(*caption), {}, caption_width(frame, width))
            .y;
    return frame.line(ui::Size::body) + words + frame.px(2 * kAbove);
}

void example_caption(Frame& frame, ui::Rect rect) {
    const ExampleCaption& caption = *frame.work.caption();
    ui::Canvas canvas(frame.ui);
    canvas.fill(rect, frame.colors().card);
    canvas.fill({rect.x, rect.y, frame.px(4), rect.h}, frame.colors().accent);
    frame.ui.name("example.caption", {rect, {}});
    ui::Layout rest(frame.ui, rect, kAside, kAbove);
    const float side = frame.line(ui::Size::body);
    const ui::Rect close = rest.right(side);
    if (ui::button(frame.ui, "example.caption.close", {close.x, close.y, side, side}, "",
                   ui::ButtonLook::plain, "Hide this caption", ui::Icon::close))
        frame.say("hide-caption");
    canvas.label(rest.top(side), caption.title, {.face = ui::Face::bold});
    canvas.wrapped(rest, caption_words(caption), {.color = frame.colors().dim});
}

}  // namespace headlight::screens
