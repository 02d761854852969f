#include "views/head_switch.h"

#include <algorithm>

namespace headlight::views {

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

void switch_head(Scene& scene, const HeadPlace& place) {
    scene.say("switch-head", std::to_string(place.layer + 1), std::to_string(place.head + 1));
}

bool take_head_switch(Scene& scene, const HeadSwitch& that) {
    const auto state = ui::interact(scene.ui, that.name, that.rect);
    if (state.clicked) switch_head(scene, {scene.trace.block, that.head});
    if (!state.hovered) return false;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    scene.ui.tooltip(is_switched_off(scene.trace, that.head)
                         ? "Switch this head on again"
                         : "Switch this head off: its A·V becomes zero, and you see what the model "
                           "does without it");
    return true;
}

void draw_head_switch(Scene& scene, const HeadSwitch& that, bool lit) {
    ui::Canvas canvas(scene.ui);
    const bool off = is_switched_off(scene.trace, that.head);
    const ui::Palette& colors = scene.colors();
    canvas.fill(that.rect, ui::with_alpha(colors.card, 0.9F), scene.px(6));
    canvas.outline(that.rect, lit ? colors.dim : colors.border, 1, scene.px(6));
    ui::icon(canvas, ui::Icon::power, that.rect.center(), that.rect.h * 0.58F,
             off ? colors.error : colors.text);
}

void switched_off_line(Scene& scene, ui::Rect& rect, const std::string& name) {
    const auto& off = scene.recipe.switched_off;
    if (off.empty()) return;
    ui::Rect row = rect.cut_top(scene.line() + scene.px(4));
    rect.cut_top(scene.px(6));
    const ui::Rect back = row.cut_right(ui::button_width(scene.ui, "all on"));
    row.cut_right(scene.px(8));
    if (ui::button(scene.ui, name + ".all_on", back, "all on", ui::ButtonLook::outlined,
                   "Switch all heads on again"))
        scene.say("switch-heads-on");
    ui::Canvas canvas(scene.ui);
    const ui::TextStyle style{.size = ui::Size::small, .color = scene.colors().error};
    const float side = scene.ui.fonts().pixels(ui::Size::small);
    ui::icon(canvas, ui::Icon::power, row.cut_left(side).center(), side * 0.9F,
             scene.colors().error);
    row.cut_left(scene.px(6));
    const std::string all = words(off, true);
    canvas.label(row, canvas.measure(all, style) <= row.w ? all : words(off, false), style);
    if (row.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered()) scene.ui.tooltip(all);
    scene.ui.report("heads.off", all);
}

float switched_off_line_height(const Scene& scene) {
    return scene.recipe.switched_off.empty() ? 0 : scene.line() + scene.px(10);
}

}  // namespace headlight::views
