#pragma once

#include "gl/heatmap.h"

// Interpolation between cells, for smooth heatmaps. Uses no OpenGL.
namespace headlight::gl {

// rows × cols floats, `stride` floats from row to row.
struct CellGrid {
    const float* cells = nullptr;
    int rows = 0, cols = 0, stride = 0;
};

// Bilinear interpolation at a position in cells from the top left, between the centers of the four
// nearest cells. From the outermost centers to the border the value is constant. (The same as
// PyTorch's F.interpolate with mode "bilinear" and align_corners false.) Inside a non-finite cell,
// returns that cell. Elsewhere non-finite cells are skipped and the other weights renormalized. row
// in [0, rows], col in [0, cols].
float between_middles(const CellGrid& grid, double row, double col);

// Whether a picture of this size in pixels interpolates: not if a pixel covers more than one cell.
bool shows_between(const CellWindow& window, int width, int height);

}  // namespace headlight::gl
