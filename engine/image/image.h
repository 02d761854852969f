#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/names.h"

namespace headlight {

// How a picture's alpha channel is handled.
enum class Alpha {
    drop,   // the colors as stored, as in Pillow's convert("RGB") and thus in training pipelines
    white,  // composited on white
    black,
};
template <>
inline constexpr auto kNames<Alpha> = std::to_array<std::string_view>({"drop", "white", "black"});

// Pixels as floats in [0, 1], height × width × channels (row, then column, then channel). channels
// is 1 (gray) or 3 (RGB).
struct Image {
    int height = 0;
    int width = 0;
    int channels = 0;
    std::vector<float> values;
    // For a decoded file with transparent pixels: how alpha was handled.
    std::optional<Alpha> alpha{};

    [[nodiscard]] bool empty() const { return values.empty(); }
    [[nodiscard]] float at(int row, int col, int channel) const {
        return values[(static_cast<std::size_t>(row) * width + col) * channels + channel];
    }
};

// An image that cannot be read or made. The message is one sentence with the file, what was
// expected and what was found. (The constructor adds the period.)
class ImageError : public std::runtime_error {
  public:
    explicit ImageError(const std::string& sentence) : std::runtime_error(sentence + ".") {}
};

// Files with more pixels are refused after reading the header, before any pixel is decoded.
inline constexpr std::int64_t kMaxPixels = 100'000'000;

// The formats that this build decodes, for a sentence: "PNG, JPEG, ... `last` PNM".
std::string image_formats(const std::string& last);

// True if this build has the library for "WebP", "TIFF", "AVIF" or "HEIC".
bool reads_format(std::string_view format);

// Decodes PNG, JPEG, BMP, TGA, GIF, PSD (composited view) and PNM, and with optional libraries
// WebP, TIFF, AVIF and HEIC. If a file has several pictures, the first one. The picture is turned
// upright by its EXIF orientation; 16-bit precision is kept; colors equal Pillow's. Result:
// [height, width, 1 or 3] in [0, 1]. `name` appears in errors only. Throws ImageError for a file
// that is no image, is damaged, has more than max_pixels pixels, or needs a missing library.
Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   std::int64_t max_pixels = kMaxPixels, Alpha alpha = Alpha::drop);

// How an image is fitted to a size of another aspect.
enum class Framing {
    crop,     // fill the size and cut off what is outside, centered
    fit,      // show the whole image, centered; free areas are mid-gray (0.5)
    stretch,  // change the image's aspect
};
template <>
inline constexpr auto kNames<Framing> = std::to_array<std::string_view>({"crop", "fit", "stretch"});

// The image resized to height × width with an anti-aliasing filter (when shrinking, every source
// pixel counts). Throws ImageError for an empty size or more than kMaxPixels pixels.
Image frame_image(const Image& image, int height, int width, Framing framing);

// Luma of ITU-R BT.601 (0.299 R + 0.587 G + 0.114 B), as in PIL's convert("L") and torchvision's
// Grayscale.
Image to_grey(const Image& image);
Image to_rgb(const Image& image);  // repeats a gray channel; an RGB image is returned unchanged

}  // namespace headlight
