#pragma once

#include <cstddef>
#include <span>

#include "image/image.h"

namespace headlight {

// How the camera was held, 1 to 8 as EXIF's orientation tag counts, read from a JPEG's APP1
// segment, a PNG's eXIf chunk or a WebP's EXIF chunk. 1 (upright) where the file says nothing or
// says it wrongly: a damaged note about a picture is no reason to refuse the picture.
int exif_orientation(std::span<const std::byte> file);

// The picture as it stood before the camera; orientation in 1 to 8.
Image turn_upright(Image image, int orientation);

}  // namespace headlight
