#pragma once

#include <vector>

#include "image/image.h"
#include "kernels/matrix.h"
#include "patches/patches.h"

namespace headlight {

// The picture with patch order[i] at the place of patch i. Parts of a patch in the padding are
// gray.
Image in_order(const Image& image, const PatchGrid& grid, const std::vector<Index>& order);

}  // namespace headlight
