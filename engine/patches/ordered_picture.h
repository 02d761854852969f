#pragma once

#include <vector>

#include "image/image.h"
#include "kernels/matrix.h"
#include "patches/patches.h"

namespace headlight {

// The picture with patch order[i] where patch i lies. What a patch has of the padding is grey.
Image in_order(const Image& image, const PatchGrid& grid, const std::vector<Index>& order);

}  // namespace headlight
