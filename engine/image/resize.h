#pragma once

#include <cstdint>

#include "image/preprocessing.h"

namespace headlight {

// One axis of a picture on its way to another length: its pixels from `begin` to `end`, which may
// lie within pixels, become `length` target pixels, of which `count` from `first` on are made.
struct ResizedSide {
    double begin = 0, end = 0;
    std::int64_t length = 0;
    std::int64_t first = 0, count = 0;
};

// The picture [rows.count, cols.count, channels] in [0, 1].
// Of floats: sums in double, each pass rounded to float once; kernels with negative lobes are cut
// at 0 and 1 in the end.
// Of eight bits: bit for bit what Pillow's resize(box=...) makes of the picture as Pillow has it
// (of 16-bit values it keeps the upper eight). Throws ImageError: more than kMaxPixels pixels
// between the passes, whose order is then Pillow's and not the cheaper one.
Image resize(const Image& image, const ResizedSide& rows, const ResizedSide& cols,
             Interpolation interpolation, bool eight_bit);

}  // namespace headlight
