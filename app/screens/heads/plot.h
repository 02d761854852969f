#pragma once

#include "heads/view.h"
#include "ui/plot.h"

// Plots over the layers. Step 0 is the input of the first, step 1 its output.
namespace headlight::screens {

// How far outside a plot the pointer still chooses a step, in pixels.
inline constexpr float kBesidePlot = 4;

// Draws the labels of both ends of the axis, and returns the space beside them.
ui::Rect with_ends(Frame& frame, ui::Layout rect, const std::string& top,
                   const std::string& bottom = "0");
// A curve's name beside a dot of its hue, whose contrast is too low for text.
void legend_name(Frame& frame, ui::Layout row, const std::string& name, ImU32 hue);
// "input", "after 2", then "1", "2", …: the number of layers passed.
std::string name_of_step(const Frame& frame, int step);
// The axis labels below: the number of layers passed, as space permits.
void steps_line(Frame& frame, const ui::Plot& plot, const ui::Rect& row);
// "after Layer 3"
std::string after(const Frame& frame, int step);
// "the class token", and "token 7".
std::string with_article(const std::string& token);

}  // namespace headlight::screens
