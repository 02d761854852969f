#pragma once

#include <memory>

#include "kernels/matrix.h"
#include "kernels/product.h"
#include "kernels/result.h"

namespace headlight {

// The weight in the order that products read it in: rearranging it takes each product of some
// hundred tokens a twentieth of its time. Null where that is of no use, and at the first call for a
// weight: most weights of a model that is run once are read once. What is packed is kept as long as
// the weight is, for all weights together up to half a gigabyte.
std::shared_ptr<const PackedWeight> packed(const SharedResult& weight);

}  // namespace headlight
