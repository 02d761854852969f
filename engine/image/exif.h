#pragma once

#include <cstddef>
#include <span>

#include "image/image.h"

namespace headlight {

// The camera orientation, 1 to 8 as in EXIF's orientation tag. It is read from a JPEG's APP1
// segment, a PNG's eXIf chunk or a WebP's EXIF chunk. 1 (upright) if the file has no valid tag: a
// damaged tag is no reason to refuse the picture.
int exif_orientation(std::span<const std::byte> file);

// Rotates and mirrors the picture upright; orientation in 1 to 8.
Image turn_upright(Image image, int orientation);

}  // namespace headlight
