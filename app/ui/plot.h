#pragma once

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

// Plots of numbers over numbers, and of curves over steps such as layers or offsets.
namespace headlight::ui {

// The numbers from one edge of a plot to the other.
struct Axis {
    double low = 0, high = 1;
    bool logarithmic = false;  // equal distances are equal factors; `low` is positive

    // 0 at `low`, 1 at `high`.
    [[nodiscard]] double part(double value) const;
    [[nodiscard]] double value(double part) const;  // the inverse
    [[nodiscard]] double clamped(double value) const { return std::clamp(value, low, high); }
};

struct Axes {
    Rect rect;
    Axis x, y;

    [[nodiscard]] ImVec2 at(double x_value, double y_value) const;
    // The numbers at a point.
    [[nodiscard]] ImVec2 value_at(ImVec2 point) const;
    // Bar `i` of `count` side by side, from `base` to `value`, both within the axis. A gap, in
    // pixels, is divided between its sides.
    [[nodiscard]] Rect bar(std::size_t i, std::size_t count, double value, double base,
                           float gap) const;
};

// A line through these points, without those that are not finite.
void curve(Context& ui, const Axes& axes, const std::vector<double>& x,
           const std::vector<double>& y, ImU32 color, float thickness = 2);

struct Plot {
    Rect rect;
    int last = 0;              // the step at the right edge; the first one is 0
    double low = 0, high = 1;  // the values at the lower and the upper edge

    [[nodiscard]] Axes axes() const;
    [[nodiscard]] ImVec2 at(int step, double value) const;
    // The step nearest to the pointer, which may be this many pixels outside; -1 elsewhere.
    [[nodiscard]] int step_under(ImVec2 mouse, float outside = 0) const;
};

// Draws labels, evenly spaced from top to bottom, and returns the space beside them.
Rect beside_levels(Context& ui, Rect rect, const std::vector<std::string_view>& levels);
// Lines at both edges and in the middle.
void grid(Context& ui, const Plot& plot);
// The values of the steps from `first` on; NaN is left out, and values outside the range are
// clamped.
void curve(Context& ui, const Plot& plot, const std::vector<double>& values, ImU32 color,
           int first = 0);
// Lines between the finite values of neighboring steps.
void lines(Context& ui, const Plot& plot, const std::function<double(int step)>& value, ImU32 color,
           float thickness = 2);

}  // namespace headlight::ui
