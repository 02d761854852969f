#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// In lecture view, over everything: a large red dot at the pointer.
void pointer_dot(Frame& frame, const ui::Rect& window);
// Lines that the speaker draws with the mouse, until the pen is put away or something else is
// shown. Draws nothing while there is no pen.
void pen(Frame& frame, const ui::Rect& window);

}  // namespace headlight::screens
