#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// Along it a map has one value. Corners in cells from the map's top left; a closed line ends where
// it begins, and that corner is not said twice.
struct ContourLine {
    struct Corner {
        float row = 0, col = 0;
        friend bool operator==(const Corner&, const Corner&) = default;
    };
    std::vector<Corner> corners;
    bool closed = false;
};

// Where a map crosses a level, by marching squares. The map is bilinear between the middles of its
// cells, and from the outer ones it reaches to its border as it is there. Each corner lies between
// two neighboring middles (or a middle and the border), exactly where the map has that level; from
// corner to corner the line is straight. Where a square is crossed twice, what the map is in the
// saddle between decides which corners belong together. Lines are closed, or end at the border, or
// at a square with a corner that is no finite number, which none enters. What equals the level lies
// above it.
std::vector<ContourLine> contours_of(const MatrixView& map, float level);

}  // namespace headlight
