#pragma once

#include <memory>

#include "kernels/matrix.h"
#include "kernels/product.h"
#include "kernels/result.h"

namespace headlight {

// The weight in the layout that products read. Rearranging it takes a twentieth of the time of a
// product of a few hundred tokens. Null if packing does not help, and for the first kUsesBefore
// calls for a weight. Packing takes as long as a few products and as much memory as the weight.
// That pays off for studies of many runs and for dragged sliders, but not for a single walk. A
// packed weight is kept as long as its weight, up to half a gigabyte in total.
inline constexpr int kUsesBefore = 5;
std::shared_ptr<const PackedWeight> packed(const SharedResult& weight);

}  // namespace headlight
