#pragma once

#include "frame/frame.h"

// A warning on every screen with maps, if the model was not trained on this kind of picture, or not
// at all. It says how to get a model trained on photographs.
namespace headlight::screens {

float out_of_depth_height(Frame& frame);  // 0 if there is no warning
void out_of_depth_line(Frame& frame, ui::Layout row);

}  // namespace headlight::screens
