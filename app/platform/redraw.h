#pragma once

#include "platform/picture.h"
#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::platform {

// What was drawn within an area, drawn again with so many pixels for each: letters, lines and cells
// are as sharp as on a finer monitor. `ui`: whose fonts and colors it was drawn with. Needs a
// current OpenGL context. Throws std::runtime_error where the GPU has no room for it.
Picture redrawn(const ui::Recording& recording, const ui::Rect& area, const ui::Context& ui,
                float scale);

}  // namespace headlight::platform
