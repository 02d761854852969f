#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"

namespace headlight::ui {

// How to show one matrix on the screen.
struct HeatmapSpec {
    std::string name;
    Cells cells;
    ColorScale scale;
    gl::CellWindow window;        // the visible cells
    std::optional<int> row, col;  // highlighted row and column
    bool outline_cell = true;     // outlines the cell where both cross
    float revealed = 1;           // 0..1: cells revealed so far, row by row
    bool numbers = true;          // written into the cells if they fit, with fewer digits if needed
    float rounding = 0;
};

struct HeatmapHit {
    bool hovered = false, clicked = false, double_clicked = false;
    int row = -1, col = -1;
};

// The minimum width and height of a cell that has room for its number with few digits.
ImVec2 cell_for_numbers(Context& ui);

HeatmapHit heatmap(Context& ui, const Rect& rect, const HeatmapSpec& spec);

// The wheel zooms around the pointer, dragging with the right or middle button pans, and a double
// click with the right button shows everything. Call after heatmap() with the same rectangle.
void zoom_and_pan(Context& ui, const Rect& rect, gl::CellWindow& window, int rows, int cols);

struct Bar {
    float value = 0;
    ImU32 color = 0;
};
// A bar chart around a zero line. Returns the index under the pointer, or -1.
int bars(Context& ui, const std::string& name, const Rect& rect, const std::vector<Bar>& values,
         std::optional<int> lit);

}  // namespace headlight::ui
