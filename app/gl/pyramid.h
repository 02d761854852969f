#pragma once

#include <span>
#include <vector>

// Data of a heatmap prepared for the GPU. Uses no OpenGL.
namespace headlight::gl {

// Minimum and maximum of some cells; both NaN if one of them is NaN.
struct Extremes {
    float low = 0, high = 0;
};

// A grid of texels over a matrix. Texel (i, j) covers the cells [i·row_cells, (i+1)·row_cells) ×
// [j·col_cells, (j+1)·col_cells); the last ones may cover fewer.
struct Grid {
    int rows = 0, cols = 0;            // texels
    int row_cells = 1, col_cells = 1;  // powers of two
    std::vector<Extremes> texels;      // rows × cols
};

// The next coarser grid: merges 2 × 2 texels, or pairs along the selected axes only.
Grid coarser(const float* cells, int rows, int cols, int stride, bool halve_rows, bool halve_cols);
Grid coarser(const Grid& fine, bool halve_rows, bool halve_cols);
// Texels of grain × grain cells, without the finer grids. grain >= 2, a power of two.
Grid coarser(const float* cells, int rows, int cols, int stride, int grain);

// The texels [begin, end) of one axis that a pixel shows; empty if the pixel is outside the matrix.
struct Span {
    int begin = 0, end = 0;
};

// One axis of a picture: `pixels` pixels show the cells [start, start + length) of `cells` cells,
// grouped into texels of `group` cells.
struct Axis {
    double start = 0, length = 1;
    int pixels = 1, cells = 1, group = 1;
};

// Whether texels of this size are fine enough: no larger than a pixel, or single cells.
bool fine_enough(const Axis& axis);

// Assigns texels to each pixel. Magnified (a pixel no larger than a cell, or smaller than a texel):
// the texel at the pixel's center. Shrunk: every texel goes to the pixel that contains the center
// of its cells, so none is lost and no cell is shown more than one pixel from its place. Cells
// partly outside the picture belong to its edge pixels.
void assign_spans(const Axis& axis, std::span<Span> pixels);

}  // namespace headlight::gl
