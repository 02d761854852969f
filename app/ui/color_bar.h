#pragma once

#include <string_view>

#include "ui/canvas.h"
#include "ui/color_scale.h"

namespace headlight::ui {

// A color map with numbers under it: its ends, the label where there is one and it fits, and as
// many round numbers as have room, each under its color. Reports the numbers as "ticks." + name.
void color_bar(Context& ui, const Rect& rect, const ColorScale& scale, std::string_view label,
               const std::string& name = {});
// The same with words at its ends instead of numbers: of maps that have a scale each.
void color_bar_in_words(Context& ui, const Rect& rect, const ColorScale& scale,
                        std::string_view low, std::string_view high);
float color_bar_height(const Context& ui);

// The same on one line, between its two numbers; the round ones are notches, which the pointer
// reads. False when it is too narrow to be read.
bool color_line(Context& ui, const Rect& rect, const ColorScale& scale);

}  // namespace headlight::ui
