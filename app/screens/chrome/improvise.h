#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// In lecture view, below the screen: what the room may ask to see changed, in large type.
float improvise_height(Frame& frame, float width);
void improvise(Frame& frame, ui::Rect rect);

}  // namespace headlight::screens
