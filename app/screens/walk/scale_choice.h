#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// How attention is colored, chosen beside one of its color bars: the scale, the cut, and the
// range of what is in view.
void scale_choice(Frame& frame, const ui::Rect& rect, const std::string& name);
float scale_choice_width(Frame& frame);
// Whether there is such a choice beside a matrix: with the drawer of the experiment, and where
// another scale than usual has been chosen.
bool offers_scales(const Frame& frame);

}  // namespace headlight::screens
