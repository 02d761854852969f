#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// A line along which a map has one value. Corners are in cells from the map's top left. A closed
// line does not repeat its first corner at the end.
struct ContourLine {
    struct Corner {
        float row = 0, col = 0;
        friend bool operator==(const Corner&, const Corner&) = default;
    };
    std::vector<Corner> corners;
    bool closed = false;
};

// The lines where a map crosses a level, by marching squares. The map is interpolated bilinearly
// between the centers of its cells, and continued as a constant from the outer centers to the
// border. Each corner is between two adjacent centers (or a center and the border), exactly where
// the map equals the level; lines are straight between corners. If a line crosses a square twice,
// the value at the saddle point decides which corners are connected. Lines are closed, or end at
// the border, or at a square with a corner that is not finite, which no line enters. Values equal
// to the level count as above it.
std::vector<ContourLine> contours_of(const MatrixView& map, float level);

}  // namespace headlight
