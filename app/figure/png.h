#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight::figure {

// Pixels from the top left, row by row, `channels` bytes each: 1 grey, 3 RGB, 4 RGBA.
struct Pixels {
    int width = 0, height = 0, channels = 3;
    std::span<const std::uint8_t> bytes;
};

// The bytes of a PNG file; nothing where it is too large for one. The description, UTF-8, is what
// image programs show as such.
// dots_per_cm: how large it is printed; 0: not said.
std::optional<std::string> png_of(const Pixels& pixels, std::string_view description = {},
                                  double dots_per_cm = 0);

}  // namespace headlight::figure
