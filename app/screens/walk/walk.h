#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Draws the Walk screen: the steps of a layer in a ribbon, the picture and the heads on the left,
// the current step in the middle, explanations and settings on the right.
void walk(Frame& frame, ui::Layout rect);
bool walk_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
