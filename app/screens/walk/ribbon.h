#pragma once

#include "frame/frame.h"
#include "walk/ribbon_plan.h"

namespace headlight::screens {

// A step's result as a thumbnail in a cell of the ribbon.
void ribbon_thumbnail(Frame& frame, const ui::Rect& rect, const Node& step);

// Title, shape and meaning, as a tooltip.
std::string ribbon_tip(const Frame& frame, const Node& step);

// A chip for layers that the walk skips; a click selects the one next to the current layer.
struct LayersChip {
    RibbonItem layers;
    std::string title, text;  // tooltip title; text on the chip
    ui::Rect cell, mark;      // cell takes the mouse; mark is drawn
};
LayersChip layers_chip(const Frame& frame, const RibbonItem& layers);
float layers_chip_width(Frame& frame, const std::string& text);
ui::Interaction draw_layers(Frame& frame, const LayersChip& chip);

// The ribbon of a whole model: the residual stream as one line; attention and MLP as branches that
// take their input from it and add their output to it.
void stream_ribbon(Frame& frame, const ui::Rect& rect);
float stream_ribbon_height(const Frame& frame);

}  // namespace headlight::screens
