#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "image/bytes.h"
#include "image/image.h"

// The decoders of decode_image() that have their own source file.
namespace headlight {

struct DecodeOptions {
    std::int64_t max_pixels = kMaxPixels;
    Alpha alpha = Alpha::drop;
};

// The picture in [0, 1] as stored. A decoder only turns it upright if exif_orientation() does not
// support its format. Throws ImageError for a damaged or truncated file, and for more than
// max_pixels pixels before it allocates memory for them.
using Decode = Image (*)(Bytes file, const std::string& name, const DecodeOptions& options);

Image decode_jpeg(Bytes file, const std::string& name, const DecodeOptions& options);
Image decode_psd(Bytes file, const std::string& name, const DecodeOptions& options);
Image decode_gif(Bytes file, const std::string& name, const DecodeOptions& options);

// A format that needs a library, which may be missing at build time.
struct OptionalFormat {
    std::string_view name;
    bool (*recognizes)(Bytes file);
    Decode decode;  // null: built without the library
};
extern const OptionalFormat kWebp, kTiff, kAvif, kHeic;

inline const std::array<const OptionalFormat*, 4> kOptionalFormats{&kWebp, &kTiff, &kAvif, &kHeic};

}  // namespace headlight
