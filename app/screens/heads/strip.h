#pragma once

#include "heads/view.h"

// The images of a folder in a row below the maps, and where the present one stands among them.
namespace headlight::screens {

bool shows_folder(const Frame& frame);
// 0: it is not shown.
float strip_height(const Frame& frame, const ui::Rect& whole);
// view: null where there are no maps.
void strip(Frame& frame, ui::Rect rect, const HeadsView* view);
// The image so many places further in the row; those that cannot be read are passed over.
void step_image(Frame& frame, int by);

}  // namespace headlight::screens
