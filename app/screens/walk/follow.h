#pragma once

#include "frame/frame.h"

// Follows one cell from the pixel to the answer, with a sentence at each step: Look::follow_cell.
namespace headlight::screens {

// If nothing is hovered or pinned, selects this step's cell that continues the path: the pinned
// token, its strongest key, its first channel, the predicted class.
void follow_one_cell(Frame& frame);
float follow_height(Frame& frame, float width);  // 0 if no cell is followed
void follow_sentence(Frame& frame, const ui::Rect& rect);

}  // namespace headlight::screens
