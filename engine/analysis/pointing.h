#pragma once

#include "analysis/error.h"
#include "trace/trace.h"

namespace headlight {

// The cell of the grid that a token points at.
struct Pointing {
    int cell = 0;            // cell with the largest logit; the first of equal ones
    double probability = 0;  // of that cell: softmax over all cells
};

// For row `token` of pointing logits [N, cells]. probability is NaN if a logit is NaN. Throws
// AnalysisError for a row that does not exist.
Pointing point_of(const MatrixView& logits, Index token);

// The grid of cells over the picture that pointing logits refer to, row by row.
struct PointedCells {
    int rows = 0, cols = 0;

    friend bool operator==(const PointedCells&, const PointedCells&) = default;
};

// If tokens point at patches, the picture's grid; otherwise the model's own grid, whatever the
// picture's is.
PointedCells pointed_cells(const Trace& trace);

}  // namespace headlight
