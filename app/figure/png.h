#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headlight::figure {

// Pixels from the top left, row by row, `channels` bytes each: 1 gray, 3 RGB, 4 RGBA.
struct Pixels {
    int width = 0, height = 0, channels = 3;
    std::span<const std::uint8_t> bytes;
};

// The bytes of a PNG file; empty if it would be too large. The description, UTF-8, goes to the
// standard text field that image programs show. dots_per_cm: print resolution; 0: not specified.
std::optional<std::string> png_of(const Pixels& pixels, std::string_view description = {},
                                  double dots_per_cm = 0);

}  // namespace headlight::figure
