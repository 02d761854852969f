#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Controls below the screen in lecture view, in large type, for questions from the audience.
float improvise_height(Frame& frame, float width);
void improvise(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
