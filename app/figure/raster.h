#pragma once

#include <cstdint>
#include <vector>

#include "figure/png.h"
#include "ui/drawn.h"

namespace headlight::figure {

// Pixels that can be put into a file, and where they belong. They may reach past what they are a
// picture of, which has to be clipped then.
struct Raster {
    int width = 0, height = 0, channels = 3;
    std::vector<std::uint8_t> bytes;
    ui::Rect place;

    [[nodiscard]] Pixels pixels() const { return {width, height, channels, bytes}; }
};

// A square of pixels for each cell that can be seen, in the colors of the window; of more than
// 4096 cells along an axis, for every two, four, ... of them. Without a pixel where none can be
// seen. Of a smooth picture two pixels for each of the window's along both axes, so that whoever
// shows it has nothing to add.
Raster raster_of(const ui::DrawnMatrix& matrix);
// The photograph's own pixels; of cells a square of them for each, as of a matrix.
Raster raster_of(const ui::DrawnPhoto& photo);
// Corners' colors, mixed.
Raster raster_of(const ui::DrawnGradient& gradient);

}  // namespace headlight::figure
