#pragma once

#include "gl/heatmap.h"

// What lies between cells, where they are not drawn as squares. No OpenGL here.
namespace headlight::gl {

// rows × cols floats, `stride` floats from row to row.
struct CellGrid {
    const float* cells = nullptr;
    int rows = 0, cols = 0, stride = 0;
};

// The number at a place in cells from the top left: bilinear in those of the four cells whose
// middles are nearest; from the outermost middles to the border it stays as it is there. (So
// PyTorch's F.interpolate has it, mode "bilinear" without align_corners.) In a cell that is no
// finite number that cell itself; in others such cells do not count, and the others' weights make
// up for them. row in [0, rows], col in [0, cols].
float between_middles(const CellGrid& grid, double row, double col);

// Whether a picture of so many pixels shows what is between cells: not where a pixel holds more
// than one.
bool shows_between(const CellWindow& window, int width, int height);

}  // namespace headlight::gl
