#pragma once

#include "frame/frame.h"

// One cell followed from the pixel to the answer, with one sentence at each step:
// Look::follow_cell.
namespace headlight::screens {

// Where nothing is hovered or pinned, the cell of this step that the cells of the steps before lead
// to: of the pinned token, its strongest key, its first channel, the class that is answered.
void follow_one_cell(Frame& frame);
float follow_height(Frame& frame, float width);  // 0 where no cell is followed
void follow_sentence(Frame& frame, const ui::Rect& rect);

}  // namespace headlight::screens
