#pragma once

#include "trace/trace.h"

namespace headlight {

// The cells over the picture that pointing logits stand for, row by row.
struct PointedCells {
    int rows = 0, cols = 0;

    friend bool operator==(const PointedCells&, const PointedCells&) = default;
};

// Where tokens point at patches, these are the picture's; else those of the model's own grid, whatever
// the picture's is.
PointedCells pointed_cells(const Trace& trace);

}  // namespace headlight
