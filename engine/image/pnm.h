#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "image/image.h"

namespace headlight {

// "P1" to "P6": bitmap, graymap and pixmap, as text or as bytes.
bool is_pnm(std::span<const std::byte> file);

// Headlight has its own reader because stb_image's supports only two of the six kinds, ignores the
// maximum in the header, and swaps the bytes of 16-bit values. Throws ImageError.
Image decode_pnm(std::span<const std::byte> file, const std::string& name, std::int64_t max_pixels);

}  // namespace headlight
