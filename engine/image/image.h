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

// What becomes of a picture's alpha channel.
enum class Alpha {
    drop,  // the colors as stored, as Pillow's convert("RGB") and so every training pipeline has it
    white,  // composed on white
    black,
};
template <>
inline constexpr auto kNames<Alpha> = std::to_array<std::string_view>({"drop", "white", "black"});

// Pixels as floats in [0, 1], stored height × width × channels (row, then column, then channel).
// channels is 1 (grey) or 3 (RGB).
struct Image {
    int height = 0;
    int width = 0;
    int channels = 0;
    std::vector<float> values;
    // Of a decoded file with transparent pixels: what became of their alpha.
    std::optional<Alpha> alpha{};

    [[nodiscard]] bool empty() const { return values.empty(); }
    [[nodiscard]] float at(int row, int col, int channel) const {
        return values[(static_cast<std::size_t>(row) * width + col) * channels + channel];
    }
};

// An image that cannot be read or made: one sentence naming the file, what was expected, what was
// found. (The full stop is added here.)
class ImageError : public std::runtime_error {
  public:
    explicit ImageError(const std::string& sentence) : std::runtime_error(sentence + ".") {}
};

// Files with more pixels than this are refused from their header, before any pixel is decoded.
inline constexpr std::int64_t kMaxPixels = 100'000'000;

// The kinds of files that this program decodes, for a sentence: "PNG, JPEG, ... `last` PNM".
std::string image_formats(const std::string& last);

// Whether this program was built with the library that a kind needs: "WebP", "TIFF", "AVIF" or
// "HEIC".
bool reads_format(std::string_view format);

// Decodes PNG, JPEG, BMP, TGA, GIF, PSD (composited view) or PNM; and WebP, TIFF, AVIF and HEIC
// where the program was built with their libraries. Of several pictures the first one.
// Turns it upright as its EXIF orientation says, keeps 16-bit precision; colors are Pillow's.
// Result: [height, width, 1 or 3] in [0, 1]. `name` appears in errors only.
// Throws ImageError: not an image, damaged, more than max_pixels pixels, or of a kind whose library
// is missing.
Image decode_image(std::span<const std::byte> bytes, const std::string& name,
                   std::int64_t max_pixels = kMaxPixels, Alpha alpha = Alpha::drop);

// How an image meets a frame of another shape.
enum class Framing {
    crop,     // fill the frame, cut what stands out, centered
    fit,      // show all of the image, centered; what stays free is mid-grey (0.5)
    stretch,  // give up the image's aspect
};
template <>
inline constexpr auto kNames<Framing> = std::to_array<std::string_view>({"crop", "fit", "stretch"});

// The image resized to exactly height × width with an anti-aliasing filter
// (every source pixel counts when shrinking). Throws ImageError for a frame without area or beyond
// kMaxPixels.
Image frame_image(const Image& image, int height, int width, Framing framing);

// Luma of ITU-R BT.601 (0.299 R + 0.587 G + 0.114 B), as PIL's convert("L") and torchvision's
// Grayscale use.
Image to_grey(const Image& image);
Image to_rgb(const Image& image);  // repeats a grey channel; an RGB image comes back as it is

}  // namespace headlight
