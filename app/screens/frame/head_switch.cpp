#include "frame/head_switch.h"

#include <algorithm>

namespace headlight::screens {

namespace {

std::string words(const std::vector<HeadPlace>& off, bool which) {
    std::string text =
        off.size() == 1 ? "1 head is off" : std::to_string(off.size()) + " heads are off";
    if (!which) return text;
    text += ": ";
    for (const HeadPlace& place : off)
        text += (text.ends_with(": ") ? "layer " : ", layer ") + std::to_string(place.layer + 1) +
                " head " + std::to_string(place.head + 1);
    return text;
}

}  // namespace

bool is_switched_off(const Trace& trace, int head) {
    return std::ranges::count(switched_off(trace), head) != 0;
}

void switch_head(Frame& frame, const HeadPlace& place) {
    frame.say("switch-head", std::to_string(place.layer + 1), std::to_string(place.head + 1));
}

bool take_head_switch(Frame& frame, const HeadSwitch& that) {
    const auto state = ui::interact(frame.ui, that.name, that.rect);
    if (state.clicked) switch_head(frame, {frame.trace.layer, that.head});
    if (!state.hovered) return false;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    frame.ui.tooltip(is_switched_off(frame.trace, that.head)
                         ? "Switch this head on again"
                         : "Switch this head off: its A·V becomes zero, and you see what the model "
                           "does without it");
    return true;
}

void draw_head_switch(Frame& frame, const HeadSwitch& that, bool lit) {
    ui::Canvas canvas(frame.ui);
    const bool off = is_switched_off(frame.trace, that.head);
    const ui::Palette& colors = frame.colors();
    canvas.fill(that.rect, ui::with_alpha(colors.card, 0.9F), frame.px(6));
    canvas.outline(that.rect, lit ? colors.dim : colors.border, 1, frame.px(6));
    ui::icon(canvas, ui::Icon::power, that.rect.center(), that.rect.h * 0.58F,
             off ? colors.error : colors.text);
}

void switched_off_line(Frame& frame, ui::Rect& rect, const std::string& name) {
    const auto& off = frame.recipe.switched_off;
    if (off.empty()) return;
    ui::Rect row = rect.cut_top(frame.line() + frame.px(4));
    rect.cut_top(frame.px(6));
    const ui::Rect back = row.cut_right(ui::button_width(frame.ui, "all on"));
    row.cut_right(frame.px(8));
    if (ui::button(frame.ui, name + ".all_on", back, "all on", ui::ButtonLook::outlined,
                   "Switch all heads on again"))
        frame.say("switch-heads-on");
    ui::Canvas canvas(frame.ui);
    const ui::TextStyle style{.size = ui::Size::small, .color = frame.colors().error};
    const float side = frame.ui.fonts().pixels(ui::Size::small);
    ui::icon(canvas, ui::Icon::power, row.cut_left(side).center(), side * 0.9F,
             frame.colors().error);
    row.cut_left(frame.px(6));
    const std::string all = words(off, true);
    canvas.label(row, canvas.measure(all, style) <= row.w ? all : words(off, false), style);
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered()) frame.ui.tooltip(all);
    frame.ui.report("heads.off", all);
}

float switched_off_line_height(const Frame& frame) {
    return frame.recipe.switched_off.empty() ? 0 : frame.line() + frame.px(10);
}

}  // namespace headlight::screens
