#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The first line of every screen in lecture view: what the lesson's stop is called, or else this.
// Taken from the top; returns what of it is left on its right.
ui::Rect lecture_head(Frame& frame, ui::Rect& rect, std::string_view title);

}  // namespace headlight::screens
