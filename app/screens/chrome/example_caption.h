#pragma once

#include "frame/frame.h"

// The caption above the screen while an example is shown: what it shows, and one thing to try.
namespace headlight::screens {

float example_caption_height(Frame& frame, float width);  // 0 where there is none
void example_caption(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
