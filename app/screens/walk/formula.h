#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The whole attention of the walk as one formula at the left of the row, the present step's part
// highlighted. Returns the place for the step's equation, `width` pixels wide: the row, or the rest
// of it if both would overlap. Draws nothing if they do not fit.
ui::Rect formula_line(Frame& frame, ui::Rect row, float width);

}  // namespace headlight::screens
