#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"

namespace headlight::figure {

// A plot of values by layer: a line across the layers, and a dot for each head. Or of values by the
// percentage of the patches.
struct PlotLine {
    std::string name;
    std::vector<double> values;  // by layer; NaN: no value
};
struct PlotPanel {
    std::string title;  // what the values are, with their unit
    int first = 1;      // number of the first point; 0: the input of the first layer
    std::vector<std::vector<double>> dots;  // by layer
    std::vector<PlotLine> lines;
    std::string below;         // the name of the horizontal axis; "": layers
    std::vector<double> part;  // the place of each point on that axis, 0 to 1; empty: layers
};
struct PlotSheet {
    std::string caption;  // "": none
    std::vector<PlotPanel> panels;
    int columns = 0;  // panels side by side; 0: all of them
};

// The size in pixels, including a margin.
ImVec2 size_of(ui::Context& ui, const PlotSheet& sheet);
void draw(ui::Context& ui, const ui::Rect& rect, const PlotSheet& sheet);

}  // namespace headlight::figure
