#pragma once

#include "frame/frame.h"
#include "walk/ribbon_plan.h"

namespace headlight::screens {

// The result of a step in small, in one of the ribbon's cells.
void ribbon_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step);

// Title, shape and meaning, for the pointer.
std::string ribbon_tip(const Frame& frame, const Node& step);

// A chip for layers that the walk passes over; a click looks at the one beside the present layer.
struct LayersChip {
    RibbonItem layers;
    std::string title, text;  // what they are; in the chip which
    ui::Rect cell, mark;      // that takes the mouse; that is drawn
};
LayersChip layers_chip(const Frame& frame, const RibbonItem& layers);
float layers_chip_width(Frame& frame, const std::string& text);
ui::Interaction draw_layers(Frame& frame, const LayersChip& chip);

// The ribbon of a whole model: the residual stream as one line, attention and MLP as branches that
// read from it and are added to it.
void stream_ribbon(Frame& frame, const ui::Rect& rect);
float stream_ribbon_height(const Frame& frame);

}  // namespace headlight::screens
