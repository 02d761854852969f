#pragma once

#include <cstdint>
#include <vector>

#include "figure/png.h"
#include "ui/drawn.h"

namespace headlight::figure {

// Pixels for a file, and their position. They may extend beyond the visible part, so clip them.
struct Raster {
    int width = 0, height = 0, channels = 3;
    std::vector<std::uint8_t> bytes;
    ui::Rect place;

    [[nodiscard]] Pixels pixels() const { return {width, height, channels, bytes}; }
};

// A square of pixels for each visible cell, in the window's colors; with more than 4096 cells along
// an axis, for every two, four, ... of them. Empty if no cell is visible. A smooth picture has
// twice the window's resolution along both axes, so it needs no further interpolation.
Raster raster_of(const ui::DrawnMatrix& matrix);
// The photograph's own pixels; if its pixels are cells, a square for each, as for a matrix.
Raster raster_of(const ui::DrawnPhoto& photo);
// Interpolates the corner colors.
Raster raster_of(const ui::DrawnGradient& gradient);

}  // namespace headlight::figure
