#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Replaces the right column in lecture view, where large type leaves no space for it: one line with
// the prediction and the most important control, if they apply. Takes its space off the top.
void lecture_panel(Frame& frame, ui::Layout& rect);
float lecture_panel_height(const Frame& frame, float width);

}  // namespace headlight::screens
