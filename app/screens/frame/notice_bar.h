#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The program's current notice; takes the space that it needs off the top.
void notice_bar(Frame& frame, const ui::Rect& rect);

// In the place of what cannot be shown: why. `name`: of the widget.
void say_instead(Frame& frame, const ui::Rect& rect, const std::string& words,
                 const std::string& name);

}  // namespace headlight::screens
