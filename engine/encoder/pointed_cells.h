#pragma once

#include "trace/trace.h"

namespace headlight {

// The grid of cells over the picture that pointing logits refer to, row by row.
struct PointedCells {
    int rows = 0, cols = 0;

    friend bool operator==(const PointedCells&, const PointedCells&) = default;
};

// If tokens point at patches, the picture's grid; otherwise the model's own grid, whatever the
// picture's is.
PointedCells pointed_cells(const Trace& trace);

}  // namespace headlight
