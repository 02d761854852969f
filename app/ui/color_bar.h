#pragma once

#include <string_view>

#include "ui/canvas.h"
#include "ui/color_scale.h"

namespace headlight::ui {

// A color map with numbers under it: its ends, the label if there is one and it fits, and as many
// round numbers as fit, each under its color. Reports the numbers as "ticks." + name.
void color_bar(Context& ui, const Rect& rect, const ColorScale& scale, std::string_view label,
               const std::string& name = {});
// The same with words instead of numbers at its ends, for maps with a scale each.
void color_bar_in_words(Context& ui, const Rect& rect, const ColorScale& scale,
                        std::string_view low, std::string_view high);
float color_bar_height(const Context& ui);

// The same on one line between its end values. Round numbers are notches, with a tooltip. False if
// there is too little width.
bool color_line(Context& ui, const Rect& rect, const ColorScale& scale);

}  // namespace headlight::ui
