#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"

namespace headlight::figure {

// Numbers by layer: a line from layer to layer, and a dot for each head.
struct PlotLine {
    std::string name;
    std::vector<double> values;  // by layer; NaN: none there
};
struct PlotPanel {
    std::string title;  // what the numbers are, with their unit
    int first = 1;      // number of the first layer; 0: what enters the first one
    std::vector<std::vector<double>> dots;  // by layer
    std::vector<PlotLine> lines;
};
struct PlotSheet {
    std::string caption;  // "": none
    std::vector<PlotPanel> panels;
};

// The pixels that it takes, with a margin.
ImVec2 size_of(ui::Context& ui, const PlotSheet& sheet);
void draw(ui::Context& ui, const ui::Rect& rect, const PlotSheet& sheet);

}  // namespace headlight::figure
