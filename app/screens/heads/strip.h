#pragma once

#include "heads/view.h"

// The images of a folder in a row below the maps, and the current image's values among theirs.
namespace headlight::screens {

bool shows_folder(const Frame& frame);
// 0 if it is hidden.
float strip_height(const Frame& frame, const ui::Rect& whole);
// view: null if there are no maps.
void strip(Frame& frame, ui::Layout rect, const HeadsView* view);
// Opens the image `by` places further in the row, skipping unreadable ones.
void step_image(Frame& frame, int by);

}  // namespace headlight::screens
