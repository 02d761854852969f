#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"

// Contour lines of a matrix.
namespace headlight::ui {

// Vertices in cells from the matrix's top left: x in columns, y in rows.
struct Contour {
    std::vector<ImVec2> corners;
    bool closed = false;
};
using Contours = std::vector<Contour>;

// The levels to draw: round values within the scale, ascending, few enough to be distinguishable.
std::vector<float> contour_levels(const ColorScale& scale);
// "lines at 0.01, 0.02 and 0.05"; "no lines" if the scale has none.
std::string contour_words(const ColorScale& scale);

// No contours are drawn on smaller cells.
inline constexpr float kLeastContourCell = 3;  // units, along both axes
bool has_room_for_contours(const Context& ui, float pixels_of_a_cell);
// Draws contours over the matrix in `rect` that shows the window's cells: bright lines with a dark
// halo, visible on any color. Draws nothing if cells are too small.
void draw_contours(Context& ui, const Rect& rect, const gl::CellWindow& window,
                   const Contours& lines);

}  // namespace headlight::ui
