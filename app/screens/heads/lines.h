#pragma once

#include <string>

#include "heads/view.h"

// How a map is drawn apart from its colors: in squares or interpolated, with or without contour
// lines. Maps in hues always use squares, because interpolating two hues would give a third.
namespace headlight::screens {

// The contour lines over a map shown in `rect`. Null if none are wanted or there is too little
// space, or if this frame's time for tracing is used up and a later frame continues.
const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const HeadPlace& place, const Shown& map);
const ui::Contours* lines_over(Frame& frame, const ui::Rect& rect, const HeadsView& view,
                               HeadsMemory& memory, const Combination& of, const Shown& map);

// "one square per patch", "smooth: bilinear between patch middles".
std::string upsampling_words(const Look& look);
// The same, with the levels of contour lines. `scale`: of the maps that share one.
std::string drawing_words(const Look& look, const ui::ColorScale& scale);

}  // namespace headlight::screens
