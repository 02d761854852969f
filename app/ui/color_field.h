#pragma once

#include <string>

#include "ui/controls.h"

namespace headlight::ui {

// A field of all colors: hues across; from white at the top over the pure color to black at the
// bottom. Dragging changes `color`.
Slid color_field(Context& ui, const std::string& name, const Rect& rect, ImVec4& color);

}  // namespace headlight::ui
