#include "positions/resample.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/taps.h"
#include "positions/positions.h"

namespace headlight {
namespace {

// How `count` positions along one axis become `targets`.
Taps taps_along(int count, int targets, Resampling how) {
    const double old_count = count, new_count = targets;
    ResampledAxis axis{count, 0, old_count / new_count, 0, targets};
    // Aligns the first centers, at 0.5, and the last; a single target is at the first.
    const auto on_corners = [&] {
        ResampledAxis corners = axis;
        corners.step = targets > 1 ? (old_count - 1) / (new_count - 1) : 0;
        corners.begin = 0.5 - 0.5 * corners.step;
        return corners;
    };
    switch (how) {
        case Resampling::bicubic_offset:
            // DINO passes the factor (new + 0.1) / old, so that PyTorch does not round the size
            // down to one less. PyTorch then uses that factor for its step.
            axis.step = old_count / (new_count + 0.1);
            return interpolating_taps(kCubicThreeQuartersKernel, axis);
        case Resampling::bicubic:
            return interpolating_taps(kCubicThreeQuartersKernel, axis);
        case Resampling::bicubic_antialiased:
            return antialiased_taps(kCubicHalfKernel, axis);
        case Resampling::bilinear_antialiased:
            return antialiased_taps(kLinearKernel, axis);
        case Resampling::linear_corners:
            return interpolating_taps(kLinearKernel, on_corners());
        case Resampling::bicubic_corners:
            return interpolating_taps(kCubicThreeQuartersKernel, on_corners());
    }
    throw PositionError("Expected a known way of resampling, found number " +
                        std::to_string(static_cast<int>(how)) + ".");
}

void check(const MatrixView& table, int rows, int cols, int new_rows, int new_cols) {
    const auto grid = [](int r, int c) { return std::to_string(r) + " x " + std::to_string(c); };
    if (rows < 1 || cols < 1 || new_rows < 1 || new_cols < 1)
        throw PositionError("Expected grids of at least 1 x 1 positions, found " +
                            grid(rows, cols) + " resized to " + grid(new_rows, new_cols) + ".");
    if (table.rows != Index{rows} * cols)
        throw PositionError("Expected a table of " + grid(rows, cols) + " positions, found " +
                            std::to_string(table.rows) + ".");
}

}  // namespace

Matrix resample_positions(const MatrixView& table, int rows, int cols, int new_rows, int new_cols,
                          Resampling how) {
    check(table, rows, cols, new_rows, new_cols);
    if (rows == new_rows && cols == new_cols) return table.eigen();

    const Taps down = taps_along(rows, new_rows, how), across = taps_along(cols, new_cols, how);
    Matrix result(Index{new_rows} * new_cols, table.cols);  // [new_rows·new_cols, D]
    parallel_for(new_rows, [&](Index row) {
        std::vector<double> sums(static_cast<std::size_t>(table.cols));
        for (Index col = 0; col < new_cols; ++col) {
            std::ranges::fill(sums, 0.0);
            for (std::size_t r = 0; r < down.count(row); ++r)
                for (std::size_t c = 0; c < across.count(col); ++c) {
                    const double weight = down.of(row)[r] * across.of(col)[c];
                    const auto from = (down.first[row] + r) * cols + across.first[col] + c;
                    const float* position = table.row(static_cast<Index>(from));
                    for (double& sum : sums) sum += weight * *position++;
                }
            std::ranges::transform(sums, result.row(row * new_cols + col).data(),
                                   [](double sum) { return static_cast<float>(sum); });
        }
    });
    return result;
}

}  // namespace headlight
