#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The file of the current trace's tokens; null if there is none.
const TokenFile* file_of(const Frame& frame);

// Whether its tokens have two or three numbers, and are drawn as points.
bool are_points(const Frame& frame);

// Draws the points, the focused token's attention weights for each, and the layer's output in the
// same plane. A third number is drawn as depth. Handles the mouse: a click selects a point.
void points_plot(Frame& frame, const ui::Rect& rect, const std::string& name);

}  // namespace headlight::screens
