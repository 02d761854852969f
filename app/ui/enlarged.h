#pragma once

#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::ui {

// Draws the recorded area into the current ImGui window from its corner on, scaled by a factor. The
// context's fonts must be scaled by the same factor.
void draw_enlarged(Context& ui, const Recording& recording, const Rect& area, float scale);

}  // namespace headlight::ui
