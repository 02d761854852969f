#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// The fewest cells that hold at least the part (0..1) of the sum of all, the largest first; of
// equal ones those that come first. So DINO draws what a head looks at (Caron et al., "Emerging
// Properties in Self-Supervised Vision Transformers", arXiv 2104.14294, figure 3: 60 % of the
// mass). By cell, row by row. None where the sum is not above zero or not finite. Cells are shares:
// not negative.
std::vector<bool> smallest_set(const MatrixView& map, double part);

}  // namespace headlight
