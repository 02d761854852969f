#pragma once

#include <string>
#include <vector>

#include "frame/frame.h"

// Sentences whose words are set in several faces and colors.
namespace headlight::screens {

struct Run {
    std::string text;
    bool bold = false;
    ImU32 color = 0;  // 0: the style's
};
using Runs = std::vector<Run>;

std::string text_of(const Runs& runs);
// Breaks between words, draws from the top of the rectangle, and returns the height that it took.
float draw_runs(Frame& frame, const ui::Rect& rect, const Runs& runs, const ui::TextStyle& style);
// The same height, with nothing drawn.
float runs_height(Frame& frame, float width, const Runs& runs, const ui::TextStyle& style);

}  // namespace headlight::screens
