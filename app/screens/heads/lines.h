#pragma once

#include <string>

#include "heads/view.h"

// How a map of numbers is drawn besides its colors: in squares or smoothly, with lines of equal
// value or without. Maps in hues are always squares: between two hues lies a third one's.
namespace headlight::screens {

// The lines over a map as it is shown in `rect`; null: none are wanted, or there is no room for
// them, or the frame has traced enough and the next ones go on.
const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const HeadPlace& place, const Shown& map);
const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const Combination& of, const Shown& map);

// "one square per patch", "smooth: bilinear between patch middles".
std::string upsampling_words(const Look& look);
// The same, and where the lines are. `scale`: of the maps that share one.
std::string drawing_words(const Look& look, const ui::ColorScale& scale);

}  // namespace headlight::screens
