#pragma once

#include "analysis/error.h"
#include "kernels/matrix.h"

namespace headlight {

// Where a token points, of all cells of the grid.
struct Pointing {
    int cell = 0;            // with the greatest logit; of equal ones the first
    double probability = 0;  // of that cell: softmax over all of them
};

// Row `token` of pointing logits [N, cells]. NaN where they are no numbers. Throws AnalysisError
// for a row that there is not.
Pointing point_of(const MatrixView& logits, Index token);

}  // namespace headlight
