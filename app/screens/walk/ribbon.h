#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// The result of a step in small, in one of the ribbon's cells.
void ribbon_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step);

// Title, shape and meaning, for the pointer.
std::string ribbon_tip(const Frame& frame, const Node& step);

// The ribbon of a whole model: the residual stream as one line, attention and MLP as branches that
// read from it and are added to it.
void stream_ribbon(Frame& frame, const ui::Rect& rect);
float stream_ribbon_height(const Frame& frame);

}  // namespace headlight::screens
