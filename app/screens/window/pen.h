#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// In lecture view, on top of everything: a large red dot at the pointer.
void pointer_dot(Frame& frame, const ui::Rect& window);
// Lines that the speaker draws with the mouse; cleared when the pen is switched off or the screen
// changes. Draws nothing while the pen is off.
void pen(Frame& frame, const ui::Rect& window);

}  // namespace headlight::screens
