#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// What the program has to say, where the screen has a place for it: takes what it needs from the
// top.
void notice_bar(Frame& frame, const ui::Rect& rect);

// In the place of what cannot be shown: why. `name`: of the widget.
void say_instead(Frame& frame, const ui::Rect& rect, const std::string& words,
                 const std::string& name);

}  // namespace headlight::screens
