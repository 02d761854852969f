#pragma once

#include <string>

#include "frame/frame.h"

// A panel over the screen: dims the window and shows a centered card that blocks the mouse for
// everything below. On a phone the card fills the window. Its content scrolls by wheel and keys.
namespace headlight::screens {

// Returns the inside of the card, below its title. End with end_overlay().
ui::Layout begin_overlay(Frame& frame, const ui::Rect& window, const std::string& name,
                         const std::string& title);
void end_overlay();

// Returns the rectangle for the content, as tall as needed, beside the scroll bar. End with
// end_scroll(), which takes the bottom of the content.
ui::Layout begin_scroll(Frame& frame, const ui::Rect& rect, const std::string& name);
void end_scroll(const ui::Rect& content, float bottom);

}  // namespace headlight::screens
