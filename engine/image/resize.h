#pragma once

#include <cstdint>

#include "image/preprocessing.h"

namespace headlight {

// How one axis is resized: pixels from `begin` to `end`, which may be fractional, become `length`
// target pixels, of which `count` from `first` on are computed.
struct ResizedSide {
    double begin = 0, end = 0;
    std::int64_t length = 0;
    std::int64_t first = 0, count = 0;
};

// The picture [rows.count, cols.count, channels] in [0, 1]. With floats, sums use double and each
// pass is rounded to float once; kernels with negative lobes are clamped to [0, 1] at the end. With
// eight_bit, the result equals Pillow's resize(box=...) bit for bit, applied to Pillow's 8-bit
// picture (the upper eight bits of 16-bit values). Throws ImageError for more than kMaxPixels
// pixels between the passes. With eight_bit the order of the passes is Pillow's, not the cheaper
// one.
Image resize(const Image& image, const ResizedSide& rows, const ResizedSide& cols,
             Interpolation interpolation, bool eight_bit);

}  // namespace headlight
