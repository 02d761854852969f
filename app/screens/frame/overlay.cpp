#include "frame/overlay.h"
#include "ui/window.h"

#include <algorithm>
#include <cmath>

namespace headlight::screens {

namespace {

void scroll_by_keys(const Frame& frame, float line, float page) {
    float to = ImGui::GetScrollY();
    if (frame.ui.key_pressed(ImGuiKey_DownArrow)) to += line;
    if (frame.ui.key_pressed(ImGuiKey_UpArrow)) to -= line;
    if (frame.ui.key_pressed(ImGuiKey_PageDown)) to += page;
    if (frame.ui.key_pressed(ImGuiKey_PageUp)) to -= page;
    if (frame.ui.key_pressed(ImGuiKey_Home)) to = 0;
    if (frame.ui.key_pressed(ImGuiKey_End)) to = ImGui::GetScrollMaxY();
    to = std::clamp(to, 0.0F, ImGui::GetScrollMaxY());
    if (to != ImGui::GetScrollY()) ImGui::SetScrollY(to);
}

}  // namespace

ui::Layout begin_overlay(Frame& frame, const ui::Rect& window, const std::string& name,
                         const std::string& title) {
    // An open list is on top, and would close if the window below took the focus.
    const bool listing = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
    if (!listing) ImGui::SetNextWindowFocus();
    ui::begin_window(name, window);
    ui::Canvas canvas(frame.ui);
    canvas.fill(window, IM_COL32(0, 0, 0, 150));
    const float width =
        frame.small ? window.w : std::min(window.w * 0.9F, frame.px(960) * frame.ui.text_scale());
    const float height = frame.small ? window.h : window.h * 0.86F;
    const ui::Rect card{std::round(window.x + (window.w - width) / 2),
                        std::round(window.y + (window.h - height) / 2), width, height};
    canvas.card(card, frame.colors().card);
    frame.ui.name(name, {card, {0, 0, 0, 0}});
    ui::Layout inside(frame.ui, card, frame.small ? 16 : 28, frame.small ? 12 : 20);
    ui::Layout head = inside.row(ui::Size::body, 8);
    if (ui::button(frame.ui, name + ".close", head.right(head.h), "", ui::ButtonLook::plain,
                   "Close   Esc", ui::Icon::close))
        frame.say("show", "nothing");
    head.skip_right(8);
    canvas.label(head, title, {.face = ui::Face::bold, .size = ui::Size::body});
    inside.skip_top(8);
    if (ImGui::IsMouseClicked(0) && !listing && !card.contains(ImGui::GetIO().MousePos))
        frame.say("show", "nothing");
    return inside;
}

void end_overlay() { ImGui::End(); }

ui::Layout begin_scroll(Frame& frame, const ui::Rect& rect, const std::string& name) {
    ui::begin_child(name + ".scroll", rect, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    if (ImGui::IsWindowAppearing()) ImGui::SetScrollY(0);
    scroll_by_keys(frame, frame.line() * 2, rect.h - frame.line() * 2);
    const ImVec2 top = ImGui::GetCursorScreenPos();
    frame.ui.report(name + ".scrolled", ImGui::GetScrollY() > 0 ? "yes" : "no");
    return {frame.ui, {top.x, top.y, rect.w - frame.px(14), 1e6F}};
}

void end_scroll(const ui::Rect& content, float bottom) {
    ImGui::SetCursorScreenPos({content.x, bottom});
    ImGui::Dummy({1, 1});
    ImGui::EndChild();
}

}  // namespace headlight::screens
