#include "ui/color_bar.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace headlight::ui {

namespace {

ImU32 opaque(gl::Rgb c) { return IM_COL32(c.r, c.g, c.b, 255); }

void fill_with_colors(Canvas& canvas, const Rect& bar, gl::ColorMap map) {
    const int steps = std::clamp(static_cast<int>(bar.w), 1, 256);
    const float step = bar.w / static_cast<float>(steps);
    for (int i = 0; i < steps; ++i) {
        const auto at = static_cast<float>(i);
        const auto c = gl::sample(map, (at + 0.5F) / static_cast<float>(steps));
        // Half a pixel wider, so that no gap shows between neighbors.
        const float more = i + 1 < steps ? 0.5F : 0.0F;
        canvas.fill({bar.x + step * at, bar.y, step + more, bar.h}, opaque(c));
    }
}

// Draws the bar and, after it, the color of clipped values; returns the bar's rectangle.
Rect draw_colors(Context& ui, Canvas& canvas, Rect rect, const ColorScale& scale) {
    if (scale.cut) {
        canvas.fill(rect.cut_right(std::min(rect.h * 1.5F, rect.w / 4)),
                    opaque(gl::clipped_color(scale.map)));
        rect.cut_right(ui.px(2));
    }
    fill_with_colors(canvas, rect, scale.map);
    return rect;
}

void notch(Context& ui, Canvas& canvas, const Rect& bar, float x) {
    const float thick = std::max(1.0F, std::round(ui.px(1)));
    canvas.fill({std::round(x - thick / 2), bar.y + bar.h / 2, thick, bar.h / 2 + ui.px(2)},
                ui.colors().background);
    canvas.fill({std::round(x - thick / 2), bar.y + bar.h, thick, ui.px(2)}, ui.colors().dim);
}

// Occupied parts of a line.
class Taken {
  public:
    explicit Taken(float gap) : gap_(gap) {}
    bool take(float from, float to) {
        for (const auto& [begin, end] : parts_)
            if (from < end + gap_ && to > begin - gap_) return false;
        parts_.emplace_back(from, to);
        return true;
    }

  private:
    float gap_;
    std::vector<std::pair<float, float>> parts_;
};

}  // namespace

float color_bar_height(const Context& ui) { return ui.px(10) + ui.line(Size::small); }

void color_bar(Context& ui, const Rect& rect, const ColorScale& scale, std::string_view label,
               const std::string& name) {
    ui.keep_clear(rect);
    Canvas canvas(ui);
    Rect rest = rect;
    const Rect bar = draw_colors(ui, canvas, rest.cut_top(ui.px(8)), scale);
    rest.cut_top(ui.px(2));
    const TextStyle style{.face = Face::mono, .size = Size::small, .color = ui.colors().dim};
    TextStyle right = style, middle = style;
    right.align = Align::right;
    middle.align = Align::center;
    const std::string low = scale.low_text(), high = scale.high_text();
    Taken taken(ui.px(6));
    taken.take(rest.x + rest.w - canvas.measure(high, style), rest.x + rest.w);
    canvas.label(rest, high, right);
    // If space is short, only the tooltip has the lower end.
    if (taken.take(rest.x, rest.x + canvas.measure(low, style)))
        canvas.label(rest, low, style);
    else if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        ui.tooltip("Colors from " + low + " to " + high);
    const auto centered = [&](float x, std::string_view text, const TextStyle& ink) {
        const float half = canvas.measure(text, ink) / 2;
        if (!taken.take(x - half, x + half)) return false;
        canvas.label({x - half - 1, rest.y, 2 * half + 2, rest.h}, text, ink);
        return true;
    };
    TextStyle words = middle;
    words.face = Face::words;
    if (!label.empty()) centered(rest.center().x, label, words);
    std::string said = low + " " + high;
    for (const float value : tick_values(scale)) {
        const float x = bar.x + scale.place(value) * bar.w;
        if (!centered(x, scale.text(value), middle)) continue;
        notch(ui, canvas, bar, x);
        said += " " + scale.text(value);
    }
    if (!name.empty()) ui.report("ticks." + name, said);
}

void color_bar_in_words(Context& ui, const Rect& rect, const ColorScale& scale,
                        std::string_view low, std::string_view high) {
    Canvas canvas(ui);
    Rect rest = rect;
    draw_colors(ui, canvas, rest.cut_top(ui.px(8)), scale);
    rest.cut_top(ui.px(2));
    TextStyle style{.size = Size::small, .color = ui.colors().dim};
    canvas.label(rest, low, style);
    style.align = Align::right;
    canvas.label(rest, high, style);
}

bool color_line(Context& ui, const Rect& rect, const ColorScale& scale) {
    ui.keep_clear(rect);
    Canvas canvas(ui);
    TextStyle style{.face = Face::mono, .size = Size::small, .color = ui.colors().dim};
    const std::string low = scale.low_text(), high = scale.high_text();
    Rect rest = rect;
    const Rect left = rest.cut_left(canvas.measure(low, style) + 1);
    const Rect right = rest.cut_right(canvas.measure(high, style) + 1);
    rest = rest.inset(ui.px(6), 0);
    if (rest.w < ui.px(24)) return false;
    canvas.label(left, low, style);
    style.align = Align::right;
    canvas.label(right, high, style);
    const float thick = std::round(ui.px(6) * std::sqrt(ui.text_scale()));
    const Rect bar = draw_colors(
        ui, canvas, {rest.x, std::round(rest.center().y - thick / 2), rest.w, thick}, scale);
    std::string said;
    Taken taken(ui.px(10));
    for (const float value : tick_values(scale)) {
        const float x = bar.x + scale.place(value) * bar.w;
        if (!taken.take(x, x)) continue;
        notch(ui, canvas, bar, x);
        said += (said.empty() ? "" : ", ") + scale.text(value);
    }
    if (rect.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered())
        ui.tooltip("Colors from " + low + " to " + high + (said.empty() ? "" : "; ticks: " + said));
    return true;
}

}  // namespace headlight::ui
