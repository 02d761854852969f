#pragma once

#include <string>
#include <vector>

#include "frame/frame.h"

// Sentences with words in several fonts and colors.
namespace headlight::screens {

struct Run {
    std::string text;
    bool bold = false;
    ImU32 color = 0;  // 0: the style's
};
using Runs = std::vector<Run>;

std::string text_of(const Runs& runs);
// Breaks lines between words, draws from the top of the rectangle, and returns the height in
// pixels.
float draw_runs(Frame& frame, const ui::Rect& rect, const Runs& runs, const ui::TextStyle& style);
// The same height, without drawing.
float runs_height(Frame& frame, float width, const Runs& runs, const ui::TextStyle& style);

}  // namespace headlight::screens
