#include "gl/smooth.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace headlight::gl {

namespace {

// Two neighboring cells along one axis, and the position between their centers, 0..1.
struct Pair {
    int first, second;
    double part;
};
Pair pair_at(double at, int count) {
    const double from_first = at - 0.5, below = std::floor(from_first);
    const auto cell = static_cast<int>(below);
    return {std::clamp(cell, 0, count - 1), std::clamp(cell + 1, 0, count - 1), from_first - below};
}

int cell_at(double at, int count) {
    return std::clamp(static_cast<int>(std::floor(at)), 0, count - 1);
}

}  // namespace

float between_middles(const CellGrid& grid, double row, double col) {
    const auto cell = [&](int r, int c) {
        return grid.cells[static_cast<std::ptrdiff_t>(r) * grid.stride + c];
    };
    const float own = cell(cell_at(row, grid.rows), cell_at(col, grid.cols));
    if (!std::isfinite(own)) return own;
    const Pair rows = pair_at(row, grid.rows), cols = pair_at(col, grid.cols);
    double sum = 0, weights = 0;
    for (const auto& [r, down] : {std::pair{rows.first, 1 - rows.part}, {rows.second, rows.part}})
        for (const auto& [c, right] :
             {std::pair{cols.first, 1 - cols.part}, {cols.second, cols.part}}) {
            const float value = cell(r, c);
            if (!std::isfinite(value)) continue;
            sum += down * right * value;
            weights += down * right;
        }
    return static_cast<float>(sum / weights);
}

bool shows_between(const CellWindow& window, int width, int height) {
    return window.cols <= static_cast<float>(width) && window.rows <= static_cast<float>(height);
}

}  // namespace headlight::gl
