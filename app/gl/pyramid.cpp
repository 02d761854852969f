#include "gl/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight::gl {
namespace {

// Branch-free with plain comparisons, so that the compiler can vectorize it.
inline Extremes join(Extremes a, Extremes b) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const bool poisoned = static_cast<int>(a.low != a.low) | static_cast<int>(b.low != b.low);
    return {poisoned ? nan : (b.low < a.low ? b.low : a.low),
            poisoned ? nan : (b.high > a.high ? b.high : a.high)};
}

int halved(int count, bool halve) { return halve ? (count + 1) / 2 : count; }

// at(row) returns a function of the column that gives the cell's Extremes.
template <typename At>
Grid shrink(At at, int rows, int cols, bool halve_rows, bool halve_cols) {
    Grid result{halved(rows, halve_rows), halved(cols, halve_cols), 1, 1, {}};
    result.texels.resize(static_cast<std::size_t>(result.rows) * result.cols);
    for (int i = 0; i < result.rows; ++i) {
        const int row = halve_rows ? 2 * i : i;
        const auto upper = at(row);
        const auto lower = at(halve_rows ? std::min(row + 1, rows - 1) : row);
        Extremes* out = result.texels.data() + static_cast<std::size_t>(i) * result.cols;
        if (!halve_cols) {
            for (int j = 0; j < cols; ++j) {
                out[j] = join(upper(j), lower(j));
            }
            continue;
        }
        for (int j = 0; j < cols / 2; ++j) {
            out[j] =
                join(join(upper(2 * j), upper(2 * j + 1)), join(lower(2 * j), lower(2 * j + 1)));
        }
        if (cols % 2 == 1) {
            out[cols / 2] = join(upper(cols - 1), lower(cols - 1));
        }
    }
    return result;
}

int texels(const Axis& axis) { return (axis.cells + axis.group - 1) / axis.group; }

double center(const Axis& axis, int texel) {
    const double first = static_cast<double>(texel) * axis.group;
    return (first + std::min(first + axis.group, static_cast<double>(axis.cells))) / 2;
}

// The first texel whose center is at or after `place` (in cells).
int first_from(const Axis& axis, double place) {
    const int count = texels(axis);
    const double guess = std::ceil(place / axis.group - 0.5);
    const int texel = static_cast<int>(std::clamp(guess, 0.0, static_cast<double>(count)));
    // All texels except the last are full; the last one's center may be earlier.
    return texel == count - 1 && center(axis, texel) < place ? count : texel;
}

int texel_at(const Axis& axis, double place) {
    return static_cast<int>(std::clamp(std::floor(place / axis.group), 0.0, texels(axis) - 1.0));
}

// Adds to an edge pixel the texel at the picture's edge, whose center may be outside.
void include(const Axis& axis, double place, Span& pixel) {
    if (place < 0 || place >= axis.cells) {
        return;
    }
    const int texel = texel_at(axis, place);
    pixel = pixel.begin < pixel.end
                ? Span{std::min(pixel.begin, texel), std::max(pixel.end, texel + 1)}
                : Span{texel, texel + 1};
}

}  // namespace

Grid coarser(const float* cells, int rows, int cols, int stride, bool halve_rows, bool halve_cols) {
    const auto at = [=](int row) {
        const float* values = cells + static_cast<std::ptrdiff_t>(row) * stride;
        return [values](int col) { return Extremes{values[col], values[col]}; };
    };
    Grid result = shrink(at, rows, cols, halve_rows, halve_cols);
    result.row_cells = halve_rows ? 2 : 1;
    result.col_cells = halve_cols ? 2 : 1;
    return result;
}

Grid coarser(const Grid& fine, bool halve_rows, bool halve_cols) {
    const auto at = [&](int row) {
        const Extremes* values = fine.texels.data() + static_cast<std::size_t>(row) * fine.cols;
        return [values](int col) { return values[col]; };
    };
    Grid result = shrink(at, fine.rows, fine.cols, halve_rows, halve_cols);
    result.row_cells = fine.row_cells * (halve_rows ? 2 : 1);
    result.col_cells = fine.col_cells * (halve_cols ? 2 : 1);
    return result;
}

Grid coarser(const float* cells, int rows, int cols, int stride, int grain) {
    Grid result{(rows + grain - 1) / grain, (cols + grain - 1) / grain, grain, grain, {}};
    result.texels.reserve(static_cast<std::size_t>(result.rows) * result.cols);
    for (int first = 0; first < rows; first += grain) {
        // The rows of cells that form one row of texels.
        Grid band = coarser(cells + static_cast<std::ptrdiff_t>(first) * stride,
                            std::min(grain, rows - first), cols, stride, true, true);
        while (band.col_cells < grain) band = coarser(band, true, true);
        result.texels.insert(result.texels.end(), band.texels.begin(), band.texels.end());
    }
    return result;
}

bool fine_enough(const Axis& axis) {
    return std::min(axis.group, axis.cells) <= std::max(1.0, axis.length / axis.pixels);
}

void assign_spans(const Axis& axis, std::span<Span> pixels) {
    const double pixel = axis.length / axis.pixels;  // in cells
    const auto edge = [&](int p) { return axis.start + p * pixel; };
    const bool shrunk = pixel > 1 && pixel >= std::min(axis.group, axis.cells);
    int end = shrunk ? first_from(axis, edge(0)) : 0;
    for (int p = 0; p < axis.pixels; ++p) {
        const int begin = end;
        end = shrunk ? first_from(axis, edge(p + 1)) : 0;
        const double middle = edge(p) + pixel / 2;
        if (begin < end) {
            pixels[p] = {begin, end};
        } else if (middle >= 0 && middle < axis.cells) {
            pixels[p] = {texel_at(axis, middle), texel_at(axis, middle) + 1};
        } else {
            pixels[p] = {};
        }
    }
    if (shrunk) {
        include(axis, edge(0), pixels.front());
        include(axis, std::nextafter(edge(axis.pixels), edge(0)), pixels[axis.pixels - 1]);
    }
}

}  // namespace headlight::gl
