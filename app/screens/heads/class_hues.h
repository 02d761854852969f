#pragma once

#include <span>
#include <vector>

#include "kernels/matrix.h"

namespace headlight::screens {

// Assigns distinct head hues to classes drawn together. A class keeps its hue whatever its rank, as
// long as the other classes are the same; in a model with few classes, always. Never uses the first
// four heads' hues. At most kHeadHues - 4 classes.
std::vector<int> class_hues(std::span<const Index> classes);

}  // namespace headlight::screens
