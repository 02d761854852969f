#pragma once

#include <string>

#include "frame/frame.h"
#include "heads/flow.h"

// Drawing a region on the large picture, whose share of the attention is measured for every head.
namespace headlight::screens {

// The choice of a tool, opening a mask and removing the region.
void region_choice(Frame& frame, Flow& flow);
// A tool is chosen: the mouse draws on the large picture, and pins no query.
bool draws_region(Frame& frame);
// Takes the mouse on that picture.
void draw_region_with_mouse(Frame& frame, const std::string& name, const ui::Rect& picture);

}  // namespace headlight::screens
