#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"

namespace headlight::ui {

// One matrix on the screen.
struct HeatmapSpec {
    std::string name;
    Cells cells;
    ColorScale scale;
    gl::CellWindow window;        // the cells to be shown
    std::optional<int> row, col;  // lit lines
    bool outline_cell = true;     // mark the crossing of both
    float revealed = 1;           // 0..1: cells formed so far, row by row
    bool numbers = true;          // written into the cells when they fit, in fewer digits if need be
    float rounding = 0;
};

struct HeatmapHit {
    bool hovered = false, clicked = false, double_clicked = false;
    int row = -1, col = -1;
};

// The least cell that has room for its number with few digits: its width and height.
ImVec2 cell_for_numbers(Context& ui);

HeatmapHit heatmap(Context& ui, const Rect& rect, const HeatmapSpec& spec);

// Wheel zooms around the pointer, right or middle button drags, a double click with the right
// button shows all again. Call after heatmap() with the same rectangle.
void zoom_and_pan(Context& ui, const Rect& rect, gl::CellWindow& window, int rows, int cols);

struct Bar {
    float value = 0;
    ImU32 color = 0;
};
// Bars around a zero line. Returns the index under the pointer, or -1.
int bars(Context& ui, const std::string& name, const Rect& rect, const std::vector<Bar>& values,
         std::optional<int> lit);

}  // namespace headlight::ui
