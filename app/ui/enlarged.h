#pragma once

#include "ui/context.h"
#include "ui/drawn.h"

namespace headlight::ui {

// What was recorded within an area, drawn in the present window of Dear ImGui from its corner on,
// with so many pixels for each. The context's fonts are as much larger.
void draw_enlarged(Context& ui, const Recording& recording, const Rect& area, float scale);

}  // namespace headlight::ui
