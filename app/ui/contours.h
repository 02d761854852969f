#pragma once

#include <string>
#include <vector>

#include "ui/canvas.h"
#include "ui/color_scale.h"

// Lines of equal value over a matrix.
namespace headlight::ui {

// Its corners in cells from the matrix's top left: x columns, y rows.
struct Contour {
    std::vector<ImVec2> corners;
    bool closed = false;
};
using Contours = std::vector<Contour>;

// The values that lines are drawn at: round ones between the scale's ends, few enough to be told
// apart, from the smallest on.
std::vector<float> contour_levels(const ColorScale& scale);
// "lines at 0.01, 0.02 and 0.05"; "no lines" where the scale has none.
std::string contour_words(const ColorScale& scale);

// Smaller cells have no room for them.
inline constexpr float kLeastContourCell = 3;  // units, along both axes
bool has_room_for_contours(const Context& ui, float pixels_of_a_cell);
// Over the matrix that is drawn in `rect` with the cells of the window, in bright lines on a dark
// halo, so that they are seen on any colors. None where a cell has too few pixels for them.
void draw_contours(Context& ui, const Rect& rect, const gl::CellWindow& window,
                   const Contours& lines);

}  // namespace headlight::ui
