#include "frame/head_switch.h"

#include <algorithm>

#include "program/ordinals.h"

namespace headlight::screens {

std::string heads_off_in_words(const std::vector<HeadPlace>& off, const Model& model) {
    std::string text =
        off.size() == 1 ? "1 head is off: " : std::to_string(off.size()) + " heads are off: ";
    for (const HeadPlace& place : off)
        text += (text.ends_with(": ") ? "layer " : ", layer ") + layer_number(model, place.layer) +
                " head " + std::to_string(place.head + 1);
    return text;
}

bool is_switched_off(const Trace& trace, int head) {
    return std::ranges::count(switched_off(trace), head) != 0;
}

void switch_head(Frame& frame, const HeadPlace& place) {
    frame.say("switch-head", layer_number(*frame.trace.model, place.layer),
              std::to_string(place.head + 1));
}

bool take_head_switch(Frame& frame, const HeadSwitch& that) {
    // A part of the map, shown while the pointer is over it.
    const auto state = ui::interact(frame.ui, that.name, that.rect, ui::Stop::no);
    if (state.clicked) switch_head(frame, {frame.trace.layer, that.head});
    if (!state.hovered) return false;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    frame.ui.tooltip(is_switched_off(frame.trace, that.head)
                         ? "Switches this head on again"
                         : "Switches this head off: its A·V becomes zero, and you see the model "
                           "without it");
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

}  // namespace headlight::screens
