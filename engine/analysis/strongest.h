#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// Of several maps of one shape, cell by cell, which is the largest there and how large it is: what
// a picture in hues shows, a hue for each map. Of equal ones the first; NaN is passed over, and
// where all are NaN there is none: which is -1 and the value NaN. By cell, row by row.
struct Strongest {
    std::vector<int> which;
    Matrix value;
};
// maps: one at least.
Strongest strongest_of(const std::vector<MatrixView>& maps);

}  // namespace headlight
