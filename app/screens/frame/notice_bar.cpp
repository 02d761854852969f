#include "frame/notice_bar.h"

#include <algorithm>
#include <cmath>

#include "frame/notice_text.h"
#include "ui/window.h"

namespace headlight::screens {

void notice_bar(Frame& frame, const ui::Rect& rect) {
    const Notice& notice = frame.work.notice();
    if (notice.text.empty()) return;
    frame.ui.report("notice", notice.text);
    const NoticeText text = notice_text(notice.text);
    const float widest = frame.px(text.code.empty() ? 720 : 860) * frame.ui.text_scale();
    const float close = frame.line() + frame.px(8), around = frame.px(40) + close;
    // As wide as its text, to cover as little as possible.
    const float text_width =
        std::min(std::min(rect.w - frame.px(40), widest) - around, notice_width(frame.ui, text));
    const float width = text_width + around;
    const float tall = notice_height(frame.ui, text, text_width);
    const ui::Rect box{std::round(rect.center().x - width / 2), rect.y + frame.px(12),
                       std::round(width), std::round(tall + frame.px(24))};
    // It covers the screen without moving it, so that the pointer stays over the same widget. It is
    // a window of its own, to block the mouse for what is below.
    ui::begin_window("notice", box, ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ui::Canvas canvas(frame.ui);
    // A matrix of any color may be below.
    for (const float away : {3.0F, 2.0F, 1.0F})
        canvas.outline(box.inset(-frame.px(away)), ui::with_alpha(frame.colors().background, 0.5F),
                       frame.px(1), frame.px(8 + away));
    canvas.card(box, frame.colors().card);
    canvas.fill({box.x, box.y + frame.px(8), frame.px(4), box.h - frame.px(16)},
                notice.is_error ? frame.colors().error : frame.colors().ok, frame.px(2));
    draw_notice(frame.ui, {box.x + frame.px(20), box.y + frame.px(12), text_width, tall}, text);
    const ui::Rect corner{box.x + box.w - close - frame.px(8), box.center().y - close / 2, close,
                          close};
    if (ui::button(frame.ui, "notice.close", corner, "", ui::ButtonLook::plain, "Dismiss   Esc",
                   ui::Icon::close))
        frame.say("dismiss");
    ImGui::End();
    frame.ui.name("notice", {box, {0, 0, 0, 0}});
}

void say_instead(Frame& frame, const ui::Rect& rect, const std::string& words,
                 const std::string& name) {
    ui::Canvas(frame.ui).label(
        rect, words,
        {.size = ui::Size::body, .color = frame.colors().dim, .align = ui::Align::center});
    frame.ui.report(name, words);
}

}  // namespace headlight::screens
