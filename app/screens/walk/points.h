#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The file that the tokens of the trace in view come from; null: none.
const TokenFile* file_of(const Frame& frame);

// Its tokens have two or three numbers, and are drawn as points.
bool are_points(const Frame& frame);

// The points, how much of each the one in focus reads, and where the layer's output lies in the
// same plane. Of three numbers the third is drawn as depth. Takes the mouse: a click chooses a
// point.
void points_plot(Frame& frame, const ui::Rect& rect, const std::string& name);

}  // namespace headlight::screens
