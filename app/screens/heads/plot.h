#pragma once

#include "heads/view.h"

// Curves over the layers: the input of the first, then after each layer.
namespace headlight::screens {

struct LayerPlot {
    ui::Rect rect;
    int steps = 1;
    double most = 1, least = 0;

    [[nodiscard]] ImVec2 at(int step, double value) const {
        const float x = steps < 2 ? 0.5F : static_cast<float>(step) / static_cast<float>(steps - 1);
        const double part = (value - least) / (most - least);
        return {rect.x + rect.w * x, rect.y + rect.h * (1 - static_cast<float>(part))};
    }
};

void axis(Frame& frame, const LayerPlot& plot);
// Draws the labels of both ends of the axis, and returns the space beside them.
ui::Rect with_ends(Frame& frame, ui::Rect rect, const std::string& top,
                   const std::string& bottom = "0");
// A curve's name beside a dot of its hue, whose contrast is too low for text.
void legend_name(Frame& frame, ui::Rect row, const std::string& name, ImU32 hue);
// "input", "after 2", then "1", "2", …: the number of layers passed.
std::string name_of_step(const Frame& frame, int step);
// The axis labels below: the number of layers passed, as space permits.
void steps_line(Frame& frame, const LayerPlot& plot, const ui::Rect& row);
// The step under the pointer, 0 for the input of the first layer; -1 elsewhere.
int step_under(const LayerPlot& plot, ImVec2 mouse);
// "after Layer 3"
std::string after(const Frame& frame, int step);
// "the class token", and "token 7".
std::string with_article(const std::string& token);

}  // namespace headlight::screens
