#pragma once

#include <string>

#include "ui/controls.h"

namespace headlight::ui {

// All bright and dark colours in one field: hues across, from white above over the pure colour to
// black below. Drags `color`.
Slid colour_field(Context& ui, const std::string& name, const Rect& rect, ImVec4& color);

}  // namespace headlight::ui
