#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The first line of every screen in lecture view: what the lesson's stop is called, or else this.
// Taken from the top, and below it the room of the stop's words from the right. Returns what of the
// line is left for more. Of a lesson the ways on, or the way back, stand at its end.
ui::Rect lecture_head(Frame& frame, ui::Rect& rect, std::string_view title);
float lecture_head_height(const Frame& frame);

// The present stop of a lesson speaks of a widget whose name begins so: it is to be seen.
bool is_spoken_of(const Frame& frame, std::string_view beginning);
// It speaks of some, and all their names begin with one of these.
bool speaks_only_of(const Frame& frame, std::string_view beginning, std::string_view other);

}  // namespace headlight::screens
