#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The walk through a layer: its steps in a ribbon, the picture and the heads on the left, the step
// that is looked at in the middle, what there is to say and to change on the right.
void walk(Frame& frame, ui::Rect rect);
bool walk_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
