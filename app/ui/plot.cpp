#include "ui/plot.h"

#include <algorithm>
#include <cmath>

namespace headlight::ui {

double Axis::part(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

double Axis::value(double part) const {
    if (logarithmic) return low * std::pow(high / low, part);
    return low + (high - low) * part;
}

ImVec2 Axes::at(double x_value, double y_value) const {
    return {rect.x + rect.w * static_cast<float>(x.part(x_value)),
            rect.y + rect.h * static_cast<float>(1 - y.part(y_value))};
}

ImVec2 Axes::value_at(ImVec2 point) const {
    return {static_cast<float>(x.value((point.x - rect.x) / std::max(1.0F, rect.w))),
            static_cast<float>(y.value(1 - (point.y - rect.y) / std::max(1.0F, rect.h)))};
}

Rect Axes::bar(std::size_t i, std::size_t count, double value, double base, float gap) const {
    const float each = rect.w / static_cast<float>(count);
    const float from = at(x.low, y.clamped(base)).y, to = at(x.low, y.clamped(value)).y;
    return {rect.x + each * static_cast<float>(i) + gap / 2, std::min(from, to), each - gap,
            std::abs(to - from)};
}

void curve(Context& ui, const Axes& axes, const std::vector<double>& x,
           const std::vector<double>& y, ImU32 color, float thickness) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (std::isfinite(y[i])) points.push_back(axes.at(x[i], y[i]));
    if (points.size() > 1) Canvas(ui).path(std::move(points), color, ui.px(thickness));
}

// With a single step, it is in the middle.
Axes Plot::axes() const {
    const Axis steps = last < 1 ? Axis{-1, 1} : Axis{0, static_cast<double>(last)};
    return {rect, steps, {low, high}};
}

ImVec2 Plot::at(int step, double value) const { return axes().at(step, value); }

int Plot::step_under(ImVec2 mouse, float outside) const {
    if (!rect.inset(-outside).contains(mouse)) return -1;
    const float part = (mouse.x - rect.x) / std::max(1.0F, rect.w);
    return std::clamp(static_cast<int>(std::round(part * static_cast<float>(last))), 0, last);
}

Rect beside_levels(Context& ui, Rect rect, const std::vector<std::string_view>& levels) {
    Canvas canvas(ui);
    const TextStyle small{.face = Face::mono, .size = Size::small, .color = ui.colors().dim};
    float widest = 0;
    for (const auto level : levels) widest = std::max(widest, canvas.measure(level, small));
    const Rect side = rect.cut_left(widest + ui.px(8));
    const float line = ui.line(Size::small);
    // Within the plot's height, since text is above and below; if it is low, only the outer ones.
    const bool all = rect.h >= line * static_cast<float>(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (!all && i > 0 && i + 1 < levels.size()) continue;
        const float part =
            static_cast<float>(i) / static_cast<float>(std::max<std::size_t>(1, levels.size() - 1));
        canvas.text({side.x, rect.y + std::max(0.0F, rect.h - line) * part}, levels[i], small);
    }
    return rect;
}

void grid(Context& ui, const Plot& plot) {
    const Rect& rect = plot.rect;
    for (const float part : {0.0F, 0.5F, 1.0F})
        Canvas(ui).line({rect.x, rect.y + rect.h * part}, {rect.x + rect.w, rect.y + rect.h * part},
                        ui.colors().border);
}

void curve(Context& ui, const Plot& plot, const std::vector<double>& values, ImU32 color,
           int first) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i]))
            points.push_back(
                plot.at(first + static_cast<int>(i), std::clamp(values[i], plot.low, plot.high)));
    if (points.size() > 1) Canvas(ui).path(std::move(points), color, ui.px(2));
}

void lines(Context& ui, const Plot& plot, const std::function<double(int step)>& value, ImU32 color,
           float thickness) {
    for (int step = 1; step <= plot.last; ++step) {
        const double from = value(step - 1), to = value(step);
        if (std::isfinite(from) && std::isfinite(to))
            Canvas(ui).line(plot.at(step - 1, from), plot.at(step, to), color, ui.px(thickness));
    }
}

}  // namespace headlight::ui
