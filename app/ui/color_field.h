#pragma once

#include <string>

#include "ui/controls.h"

namespace headlight::ui {

// All bright and dark colors in one field: hues across, from white above over the pure color to
// black below. Drags `color`.
Slid color_field(Context& ui, const std::string& name, const Rect& rect, ImVec4& color);

}  // namespace headlight::ui
