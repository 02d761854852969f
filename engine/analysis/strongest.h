#pragma once

#include <vector>

#include "kernels/matrix.h"

namespace headlight {

// For several maps of one shape: which map is largest at each cell, and its value. Used to color
// each cell by map. Ties go to the first map, NaN is ignored; if all are NaN, `which` is -1 and
// `value` NaN. By cell, row by row.
struct Strongest {
    std::vector<int> which;
    Matrix value;
};
// maps: at least one.
Strongest strongest_of(const std::vector<MatrixView>& maps);

}  // namespace headlight
