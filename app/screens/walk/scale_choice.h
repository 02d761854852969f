#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Chooses the colors of attention beside a color bar: the scale, clipping, and whether the range
// follows the visible part.
void scale_choice(Frame& frame, const ui::Rect& rect, const std::string& name);
float scale_choice_width(Frame& frame);
// Whether a matrix has this choice: while the experiment drawer is open, or if the scale is not the
// default.
bool offers_scales(const Frame& frame);

}  // namespace headlight::screens
