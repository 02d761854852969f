#pragma once

#include "frame/frame.h"
#include "tasks/studies.h"

namespace headlight::screens {

// The instance shared by all screens.
inline Studies& studies_of(const Frame& frame) { return frame.memory.own<Studies>(); }

}  // namespace headlight::screens
