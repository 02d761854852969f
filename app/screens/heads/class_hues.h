#pragma once

#include <span>
#include <vector>

#include "kernels/matrix.h"

namespace headlight::screens {

// Numbers of head hues for classes that are drawn together, which differ: a class has the same one
// whatever its rank, as long as the classes beside it are the same, and one of a model with few
// classes always. None of them is one of the first four heads'. At most kHeadHues - 4 classes.
std::vector<int> class_hues(std::span<const Index> classes);

}  // namespace headlight::screens
