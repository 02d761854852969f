#pragma once

#include "image/image.h"

namespace headlight {

// True for a drawing of evenly colored shapes: at most 60 colors cover 90 % of it, if each channel
// has 32 levels. Photographs have hundreds. A gray picture has at most 32 such colors either way,
// so it counts as a photograph. A large picture is sampled at about 65,000 pixels.
bool has_few_colors(const Image& image);

}  // namespace headlight
