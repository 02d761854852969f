#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "image/image.h"

namespace headlight {

// Converts samples [height, width, stored] from a decoder to floats. For stored = 2 and 4 the last
// channel is alpha, not premultiplied. Blending with a background rounds to whole sample values, as
// in Pillow's paste.
template <typename Sample>
Image image_of(const Sample* samples, int height, int width, int stored, Alpha alpha) {
    constexpr std::uint64_t kFull = std::numeric_limits<Sample>::max();
    const bool has_alpha = stored % 2 == 0;
    Image image{height, width, has_alpha ? stored - 1 : stored, {}};
    const auto pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    image.values.resize(pixels * image.channels);
    float* out = image.values.data();
    const std::uint64_t background = alpha == Alpha::white ? kFull : 0;
    for (std::size_t p = 0; p < pixels; ++p, samples += stored) {
        const std::uint64_t own = has_alpha ? samples[stored - 1] : kFull;
        if (own < kFull) image.alpha = alpha;
        const bool blends = own < kFull && alpha != Alpha::drop;
        for (int c = 0; c < image.channels; ++c) {
            Sample value = samples[c];
            if (blends)
                value = static_cast<Sample>((value * own + background * (kFull - own) + kFull / 2) /
                                            kFull);
            *out++ = value / static_cast<float>(kFull);
        }
    }
    return image;
}

// Converts CMYK, where 0 is no ink, with Pillow's integer arithmetic. rgb and cmyk may overlap.
inline void cmyk_to_rgb(const std::uint8_t* cmyk, std::uint8_t* rgb) {
    const unsigned light = 255U - cmyk[3];
    for (int c = 0; c < 3; ++c) {
        const unsigned product = cmyk[c] * light + 128;
        const unsigned ink = ((product >> 8) + product) >> 8;  // cmyk[c] * light / 255, rounded
        rgb[c] = static_cast<std::uint8_t>(light > ink ? light - ink : 0);
    }
}

// Divides a premultiplied color by its alpha, with Pillow's integer arithmetic.
inline std::uint8_t unmultiplied(std::uint8_t color, std::uint8_t alpha) {
    if (alpha == 0) return 0;
    const unsigned whole = color * 255U / alpha;
    return static_cast<std::uint8_t>(whole < 255 ? whole : 255);
}

}  // namespace headlight
