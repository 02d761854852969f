#pragma once

#include "analysis/error.h"
#include "kernels/matrix.h"

namespace headlight {

// The cell of the grid that a token points at.
struct Pointing {
    int cell = 0;            // cell with the largest logit; the first of equal ones
    double probability = 0;  // of that cell: softmax over all cells
};

// For row `token` of pointing logits [N, cells]. probability is NaN if a logit is NaN. Throws
// AnalysisError for a row that does not exist.
Pointing point_of(const MatrixView& logits, Index token);

}  // namespace headlight
