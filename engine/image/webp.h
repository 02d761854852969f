#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "image/image.h"

namespace headlight {

// Whether this program was built with libwebp.
bool reads_webp();

bool is_webp(std::span<const std::byte> file);

// The picture as it is stored, not turned upright; alpha composed on white. Throws ImageError:
// damaged, cut short, an animation, more than max_pixels pixels, or a program that was built
// without libwebp.
Image decode_webp(std::span<const std::byte> file, const std::string& name,
                  std::int64_t max_pixels);

}  // namespace headlight
