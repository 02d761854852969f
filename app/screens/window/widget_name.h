#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// For authors of lessons and scripts: outlines what is under the pointer and says its name.
void widget_name(Frame& frame);

}  // namespace headlight::screens
