#pragma once

#include <array>
#include <optional>

#include "image/image.h"

namespace headlight {

// The kernel that a picture is resized with. All are widened where the picture shrinks, so that
// every source pixel counts (Pillow always does this, torchvision with antialias=True).
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

// The frame follows from the picture: the whole picture in nearly its own aspect, and as large as
// whole patches of it fill no more than so many. SigLIP 2's NaFlex, arXiv 2502.14786.
struct PatchLimit {
    int patch = 16, most = 256;

    friend bool operator==(const PatchLimit&, const PatchLimit&) = default;
};

// What a picture is resized to before the frame is cut out of its center. By the framing:
//   crop     where both are equal, the shorter side becomes as long (torchvision's Resize); else
//            the picture keeps its aspect and covers height × width (timm's ResizeKeepRatio)
//   stretch  the picture becomes height × width
//   fit      the picture keeps its aspect and fits into height × width
struct ResizeTo {
    int height = 0, width = 0;

    friend bool operator==(const ResizeTo&, const ResizeTo&) = default;
};

// What happens to a picture before it is cut into patches.
struct Preprocessing {
    int height = 224, width = 224;  // of the frame
    Framing framing = Framing::crop;
    // Then height and width are those of a square picture, and others are stretched to theirs.
    std::optional<PatchLimit> limit;
    // None: the picture is resized to the frame itself, as `framing` says.
    std::optional<ResizeTo> resize;
    // The frame's side over that of `resize`, for frames of other sizes (with_frame): timm's
    // crop_pct.
    std::optional<double> crop_fraction;
    // The picture keeps its size; the frame is cut out of its center.
    bool keeps_size = false;
    // An odd number of pixels is cut off with the smaller half first, as Hugging Face's center_crop
    // does; else half of it is rounded as torchvision's CenterCrop rounds, to the even number.
    bool cuts_smaller_half_first = false;
    // Where the resized picture leaves some of the frame free.
    std::array<float, 3> fill{0, 0, 0};
    Interpolation interpolation = Interpolation::bilinear;
    // What becomes of transparent pixels when the file is decoded.
    Alpha alpha = Alpha::drop;
    // Pixels are rounded to 8 bits after each pass, as Pillow does; then the models see exactly
    // what their training code showed them. Of a picture of more bits the upper eight are kept,
    // as Pillow keeps them of RGB. (16-bit greys it turns white; here they stay greys.)
    bool eight_bit = false;
    std::array<float, 3> mean{0.5F, 0.5F, 0.5F};
    std::array<float, 3> std{0.5F, 0.5F, 0.5F};

    friend bool operator==(const Preprocessing&, const Preprocessing&) = default;
};

// The same for a picture of this size, without a limit: height and width are its own.
Preprocessing framed_for(int height, int width, Preprocessing how);

// What a picture is resized to so that a frame of this size shows that part of each side.
ResizeTo resized_for(int height, int width, double crop_fraction);

// The same with a frame of another size, of which the picture fills the same share: a model that
// shows 224 of 256 pixels shows 448 of 512. Of its own size nothing changes.
Preprocessing with_frame(Preprocessing how, int height, int width);

// For people: "cut from the center".
std::string_view words_of(Framing framing);

// The picture framed as `how` says: [how.height, how.width, channels] in [0, 1], not yet
// normalized. With `resize` or `keeps_size`, what the picture leaves free is filled with `fill`.
// Floats are cut at 0 and 1 where a kernel's
// negative lobes lead beyond, as torchvision advises. Nearest takes Pillow's pixel, which is not
// always torch's.
// Throws ImageError as frame_image does; also for a resize < 1, and where the resized picture's
// longer side, or in eight bits the picture between the passes, would be beyond kMaxPixels.
Image preprocess(const Image& image, const Preprocessing& how);

// A rectangle of a picture, in pixels.
struct PicturePart {
    double row = 0, col = 0, height = 0, width = 0;

    friend bool operator==(const PicturePart&, const PicturePart&) = default;
};
// What of a picture of this size the frame shows; all of it where nothing is cut off.
PicturePart part_in_frame(int height, int width, const Preprocessing& how);

}  // namespace headlight
