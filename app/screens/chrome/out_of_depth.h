#pragma once

#include "frame/frame.h"

// A model that was trained on something else than what it is shown, or not at all, says so on every
// screen with its maps, and how to get to one that has seen photographs.
namespace headlight::screens {

float out_of_depth_height(Frame& frame);  // 0 where nothing is to be said
void out_of_depth_line(Frame& frame, ui::Rect row);

}  // namespace headlight::screens
