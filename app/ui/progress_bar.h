#pragma once

#include "ui/context.h"

namespace headlight::ui {

// A rounded progress bar, filled from the left. part: 0..1.
void progress_bar(Context& ui, const Rect& rect, float part);

}  // namespace headlight::ui
