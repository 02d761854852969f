#pragma once

#include <memory>

#include "kernels/matrix.h"
#include "kernels/product.h"
#include "kernels/result.h"

namespace headlight {

// The weight in the order that products read it in: rearranging it takes each product of some
// hundred tokens a twentieth of its time. Null where that is of no use, and at the first
// kUsesBefore calls for a weight: packing takes as long as a few products, and as much memory as
// the weight, which is worth it for studies of many runs and for sliders that are dragged, not for
// a walk. What is packed is kept as long as the weight is, for all together up to half a gigabyte.
inline constexpr int kUsesBefore = 5;
std::shared_ptr<const PackedWeight> packed(const SharedResult& weight);

}  // namespace headlight
