#pragma once

#include <span>
#include <vector>

// What a heatmap needs to know before the GPU draws it. No OpenGL here.
namespace headlight::gl {

// Smallest and largest of some cells; both NaN when a NaN is among them.
struct Extremes {
    float low = 0, high = 0;
};

// A grid of texels over a matrix. Texel (i, j) stands for the cells [i·row_cells, (i+1)·row_cells)
// × [j·col_cells, (j+1)·col_cells) of the matrix; the last ones may hold fewer.
struct Grid {
    int rows = 0, cols = 0;            // texels
    int row_cells = 1, col_cells = 1;  // powers of two
    std::vector<Extremes> texels;      // rows × cols
};

// The next coarser grid: 2 × 2 texels become one; only along the axes asked for.
Grid coarser(const float* cells, int rows, int cols, int stride, bool halve_rows, bool halve_cols);
Grid coarser(const Grid& fine, bool halve_rows, bool halve_cols);
// Texels of grain × grain cells, without the finer grids; grain >= 2, a power of two.
Grid coarser(const float* cells, int rows, int cols, int stride, int grain);

// The texels [begin, end) of one axis shown in one pixel; none: the pixel lies beside the matrix.
struct Span {
    int begin = 0, end = 0;
};

// One axis of a picture: `pixels` pixels show the cells [start, start + length) of `cells` cells,
// which are grouped `group` by `group` into texels.
struct Axis {
    double start = 0, length = 1;
    int pixels = 1, cells = 1, group = 1;
};

// Whether texels of this size are fine enough: no larger than a pixel, or the axis is a single
// cell.
bool fine_enough(const Axis& axis);

// Which texels each pixel shows.
// Magnified (a pixel no larger than a cell, or smaller than a texel): the texel at the pixel's
// center. Shrunk: each texel in the one pixel that holds the center of its cells, so none is lost
// and no cell is shown farther than one pixel from its place. Cells only in part inside the picture
// belong to its edge pixels.
void assign_spans(const Axis& axis, std::span<Span> pixels);

}  // namespace headlight::gl
