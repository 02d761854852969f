#pragma once

#include "platform/picture.h"
#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::app {

// Draws a recorded area again at `scale` times the resolution, with text, lines and cells as sharp
// as on a finer monitor. `ui`: the context with the fonts and colors used. Needs a current OpenGL
// context. Throws std::runtime_error if there is not enough GPU memory.
Picture redrawn(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                float scale);

}  // namespace headlight::app
