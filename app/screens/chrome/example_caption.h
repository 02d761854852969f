#pragma once

#include "frame/frame.h"

// What an example shows, and one thing to try, above the screen as long as it is shown.
namespace headlight::screens {

float example_caption_height(Frame& frame, float width);  // 0 where there is none
void example_caption(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
