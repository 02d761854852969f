#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The first line of every screen in lecture view: what the lesson's stop is called, or else this.
// Taken from the top; returns what of it is left on its right.
ui::Rect lecture_head(Frame& frame, ui::Rect& rect, std::string_view title);

// The present stop of a lesson speaks of a widget whose name begins so: it is to be seen.
bool is_spoken_of(const Frame& frame, std::string_view beginning);

}  // namespace headlight::screens
