#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// The first line of every screen in lecture view: the title of the lesson's stop, or else `title`.
// Takes this line off the top, and below it the space for the stop's text off the right. Returns
// the rest of the line. In a lesson, it ends with the navigation buttons.
ui::Rect lecture_head(Frame& frame, ui::Layout& rect, std::string_view title);
float lecture_head_height(const Frame& frame);

// The button at the top right corner that ends lecture view, on top of the screen.
void lecture_exit(Frame& frame, const ui::Rect& window);
// The width that it takes off the window's right edge, in pixels.
float lecture_exit_width(const Frame& frame);

// Whether the current stop points to a widget whose name has this prefix.
bool is_spoken_of(const Frame& frame, std::string_view beginning);
// Whether it points to widgets, and all their names have one of these prefixes.
bool speaks_only_of(const Frame& frame, std::string_view beginning, std::string_view other);

}  // namespace headlight::screens
