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
};
template <>
inline constexpr auto kNames<Interpolation> =
    std::to_array<std::string_view>({"bilinear", "bicubic", "lanczos", "nearest"});

// The frame follows from the picture: the whole picture in nearly its own aspect, and as large as
// whole patches of it fill no more than so many. SigLIP 2's NaFlex, arXiv 2502.14786.
struct PatchLimit {
    int patch = 16, most = 256;

    friend bool operator==(const PatchLimit&, const PatchLimit&) = default;
};

// What happens to a picture before it is cut into patches.
struct Preprocessing {
    int height = 224, width = 224;  // of the frame
    Framing framing = Framing::crop;
    // Then height and width are those of a square picture, and others are stretched to theirs.
    std::optional<PatchLimit> limit;
    // The shorter side is brought to this length before the frame is cut out of the centre, as
    // torchvision's Resize and CenterCrop do; none: the frame is as large as fits.
    std::optional<int> resize;
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

// For people: "cut from the centre".
std::string_view words_of(Framing framing);

// The picture framed as `how` says: [how.height, how.width, channels] in [0, 1], not yet
// normalised. With `resize`, the framing is not asked, and where the frame is larger than the
// resized picture it is black, as CenterCrop pads. Floats are cut at 0 and 1 where a kernel's
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
