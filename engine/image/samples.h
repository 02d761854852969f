#pragma once

#include <cstddef>
#include <limits>

#include "image/image.h"

namespace headlight {

// What decoders give, samples [height, width, stored], as floats. stored = 2 and 4 end with alpha,
// which is composed on white.
template <typename Sample>
Image image_of(const Sample* samples, int height, int width, int stored) {
    constexpr auto kWhite = static_cast<float>(std::numeric_limits<Sample>::max());
    const bool has_alpha = stored % 2 == 0;
    Image image{height, width, has_alpha ? stored - 1 : stored, {}};
    const auto pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    image.values.resize(pixels * image.channels);
    float* out = image.values.data();
    for (std::size_t p = 0; p < pixels; ++p, samples += stored) {
        const float alpha = has_alpha ? samples[stored - 1] / kWhite : 1.0F;
        for (int c = 0; c < image.channels; ++c)
            *out++ = samples[c] / kWhite * alpha + (1.0F - alpha);
    }
    return image;
}

}  // namespace headlight
