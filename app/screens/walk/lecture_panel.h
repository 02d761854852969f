#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// In large type the right column has no room: of it the prediction stays, in a line, and the one
// control that changes most, each where it applies. Takes what it needs from the top.
void lecture_panel(Frame& frame, ui::Rect& rect);
float lecture_panel_height(const Frame& frame, float width);

}  // namespace headlight::screens
