#include "walk/formula.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "frame/head_switch.h"
#include "frame/tensor_text.h"
#include "program/formula.h"
#include "ui/equation.h"

namespace headlight::screens {

namespace {

constexpr float kGap = 32;  // units between the formula and the step's equation
constexpr const char* kTip =
    "One head's attention in one formula. This step is highlighted; computed parts are underlined.";

struct Part {
    std::vector<ui::Glyphs> glyphs;
    bool present = false, computed = false;
};

std::string text_of(const std::vector<ui::Glyphs>& glyphs) {
    std::string text;
    for (const ui::Glyphs& each : glyphs) text += each.text;
    return text;
}

float width_of(Frame& frame, const std::vector<Part>& parts, ui::Size size) {
    float width = 0;
    for (const Part& part : parts) width += ui::equation_width(frame.ui, part.glyphs, size);
    return width;
}

void draw(Frame& frame, ui::Layout rect, const std::vector<Part>& parts, ui::Size size) {
    ui::Canvas canvas(frame.ui);
    const ui::Palette& colors = frame.colors();
    // In lecture view a line of text may be taller than the row.
    const float thick = frame.px(2) * std::sqrt(frame.ui.text_scale());
    const float high = std::min(frame.line(size), rect.h - 2 * thick);
    rect = {rect.x, rect.center().y - high / 2, rect.w, high};
    std::string whole, present;
    const ui::Rect all = rect;
    for (const Part& part : parts) {
        const ui::Rect place = rect.left(ui::equation_width(frame.ui, part.glyphs, size));
        // In lecture view, letters on a tinted ground would have too little contrast.
        if (part.present && frame.state.look.lecture)
            canvas.outline(place, colors.accent, thick);
        else if (part.present)
            canvas.fill(place, ui::with_alpha(colors.accent, 0.16F), frame.px(3));
        if (part.computed) canvas.fill({place.x, place.y + place.h, place.w, thick}, colors.accent);
        const auto dimmed = [&](const std::string&) { return colors.dim; };
        const std::string hovered = part.present
                                        ? ui::equation(frame.ui, place, part.glyphs, size,
                                                       ui::Align::left, symbol_colors(frame))
                                        : ui::equation(frame.ui, place, part.glyphs, size,
                                                       ui::Align::left, dimmed, colors.dim);
        if (!hovered.empty()) frame.memory.next_lit_symbol = hovered;
        whole += text_of(part.glyphs);
        present += part.present ? text_of(part.glyphs) + "|" : "";
    }
    frame.ui.name("formula", {all, {0, 0, 0, 0}});
    frame.ui.report("formula", whole);
    frame.ui.report("formula.present", present);
    if (all.contains(ImGui::GetIO().MousePos)) frame.ui.tooltip(kTip);
}

}  // namespace

ui::Rect formula_line(Frame& frame, ui::Rect row, float width) {
    std::vector<Part> parts;
    for (const FormulaPart& part :
         whole_formula(frame.trace.nodes, frame.step(), is_switched_off(frame.trace, frame.head)))
        parts.push_back({ui::parse_equation(part.text), part.present, part.computed});
    if (parts.empty()) return row;
    for (const ui::Size size : {ui::Size::body, ui::Size::small}) {
        const float wide = width_of(frame, parts, size), taken = wide + frame.px(kGap);
        const bool overlaps = taken > (row.w - width) / 2;
        // A zoomed matrix has its own signs at the right of the equation.
        if (taken + width > row.w || (overlaps && frame.ui.zoomed())) continue;
        ui::Layout rest(frame.ui, row);
        draw(frame, rest.left(wide, kGap), parts, size);
        return overlaps ? rest : row;
    }
    return row;
}

}  // namespace headlight::screens
