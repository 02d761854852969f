#pragma once

#include <string>

#include "frame/frame.h"

// A panel over the screen: the window dimmed, a card in its middle that takes the mouse from
// everything below it, and in the card what scrolls by wheel and by keys.
namespace headlight::screens {

// The inside of the card, below its title. The caller ends it with end_overlay().
ui::Rect begin_overlay(Frame& frame, const ui::Rect& window, const std::string& name,
                       const std::string& title);
void end_overlay();

// The place of the content, as long as it needs to be: from its top on, beside the scroll bar. The
// caller ends it with end_scroll(), saying how far it came.
ui::Rect begin_scroll(Frame& frame, const ui::Rect& rect, const std::string& name);
void end_scroll(const ui::Rect& content, float bottom);

}  // namespace headlight::screens
