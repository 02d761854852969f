#pragma once

#include <string>

#include "frame/frame.h"
#include "heads/flow.h"

// Drawing a region on the large picture; the fraction of attention in it is measured for every
// head.
namespace headlight::screens {

// Controls to choose a tool, open a mask and remove the region.
void region_choice(Frame& frame, ui::Flow& flow);
// Whether a tool is active, so that the mouse draws on the large picture instead of pinning a
// query.
bool draws_region(Frame& frame);
// Handles the mouse on that picture.
void draw_region_with_mouse(Frame& frame, const std::string& name, const ui::Rect& picture);

}  // namespace headlight::screens
