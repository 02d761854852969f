#pragma once

#include <array>
#include <optional>

#include "image/image.h"

namespace headlight {

// The kernel for resizing. When shrinking, all are widened so that every source pixel counts
// (Pillow always does this, torchvision with antialias=True).
enum class Interpolation {
    bilinear,
    bicubic,  // a = −0.5, Pillow's
    lanczos,  // three lobes, Pillow's
    nearest,
    box,      // Pillow's
    hamming,  // one lobe, Pillow's
};
template <>
inline constexpr auto kNames<Interpolation> = std::to_array<std::string_view>(
    {"bilinear", "bicubic", "lanczos", "nearest", "box", "hamming"});

// The input size depends on the picture. The whole picture is resized, nearly keeping its aspect,
// to as many whole patches as possible up to `most`. SigLIP 2's NaFlex, arXiv 2502.14786.
struct PatchLimit {
    int patch = 16, most = 256;

    friend bool operator==(const PatchLimit&, const PatchLimit&) = default;
};

// The size that a picture is resized to before its center is cut out. By framing:
//   crop     if both are equal, the shorter side gets that length (torchvision's Resize); otherwise
//            the picture keeps its aspect and covers height × width (timm's ResizeKeepRatio)
//   stretch  the picture becomes height × width
//   fit      the picture keeps its aspect and fits into height × width
struct ResizeTo {
    int height = 0, width = 0;

    friend bool operator==(const ResizeTo&, const ResizeTo&) = default;
};

// How a picture is prepared before it is cut into patches.
struct Preprocessing {
    int height = 224, width = 224;  // input size of the model
    Framing framing = Framing::crop;
    // If set, height and width are those for a square picture; other pictures get their own size.
    std::optional<PatchLimit> limit;
    // None: the picture is resized directly to height × width, as `framing` says.
    std::optional<ResizeTo> resize;
    // The input side divided by the side of `resize`, for other input sizes (with_frame): timm's
    // crop_pct.
    std::optional<double> crop_fraction;
    // The picture is not resized; its center is cut out.
    bool keeps_size = false;
    // How an odd number of pixels is cut off: true: the smaller half first, as in Hugging Face's
    // center_crop; false: half rounded to even, as in torchvision's CenterCrop.
    bool cuts_smaller_half_first = false;
    // Color of areas that the resized picture does not cover.
    std::array<float, 3> fill{0, 0, 0};
    Interpolation interpolation = Interpolation::bilinear;
    // How transparent pixels are handled during decoding.
    Alpha alpha = Alpha::drop;
    // Round pixels to 8 bits after each pass, as Pillow does, so that models see exactly the pixels
    // of their training code. Of pictures with more bits the upper eight are kept, as Pillow does
    // for RGB. (Pillow turns 16-bit gray pictures white; here they stay gray.)
    bool eight_bit = false;
    std::array<float, 3> mean{0.5F, 0.5F, 0.5F};
    std::array<float, 3> std{0.5F, 0.5F, 0.5F};

    friend bool operator==(const Preprocessing&, const Preprocessing&) = default;
};

// The same for a picture of this size, with `limit` replaced by the resulting height and width.
Preprocessing framed_for(int height, int width, Preprocessing how);

// The resized size for which an input of this size shows the fraction `crop_fraction` of each side.
ResizeTo resized_for(int height, int width, double crop_fraction);

// The same with another input size that shows the same fraction of the picture: a model that shows
// 224 of 256 pixels shows 448 of 512. Returns `how` unchanged for its own size.
Preprocessing with_frame(Preprocessing how, int height, int width);

// For people: "cut from the center".
std::string_view words_of(Framing framing);

// Preprocesses the picture: [how.height, how.width, channels] in [0, 1], not yet normalized. With
// `resize` or `keeps_size`, uncovered areas get the color `fill`. Floats are clamped to [0, 1],
// because negative lobes of a kernel can exceed it; torchvision advises this. `nearest` picks
// Pillow's pixel, which sometimes differs from torch's. Throws ImageError as frame_image does, and
// for a resize < 1. It also throws if the longer side of the resized picture, or with eight_bit the
// picture between both passes, exceeds kMaxPixels.
Image preprocess(const Image& image, const Preprocessing& how);

// A rectangle of a picture, in pixels.
struct PicturePart {
    double row = 0, col = 0, height = 0, width = 0;

    friend bool operator==(const PicturePart&, const PicturePart&) = default;
};
// The part of a picture of this size that the model sees; all of it if nothing is cut off.
PicturePart part_in_frame(int height, int width, const Preprocessing& how);

}  // namespace headlight
