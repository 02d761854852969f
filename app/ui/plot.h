#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

// Curves over steps, such as layers or offsets, from left to right.
namespace headlight::ui {

struct Plot {
    Rect rect;
    int last = 0;              // the step at the right edge; the first one is 0
    double low = 0, high = 1;  // the values at the lower and the upper edge

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
