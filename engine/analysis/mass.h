#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// The smallest set of cells that holds at least the fraction `part` (0..1) of the total, largest
// cells first; ties in reading order. DINO uses this to show what a head attends to (Caron et al.,
// "Emerging Properties in Self-Supervised Vision Transformers", arXiv 2104.14294, figure 3: 60 % of
// the mass). Result by cell, row by row; all false if the sum is not positive or not finite. Cells
// must not be negative.
std::vector<bool> smallest_set(const MatrixView& map, double part);

}  // namespace headlight
