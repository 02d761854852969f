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

// What happens to a picture before it is cut into patches.
struct Preprocessing {
    int height = 224, width = 224;  // of the frame
    Framing framing = Framing::crop;
    // The shorter side is brought to this length before the frame is cut out of the centre, as
    // torchvision's Resize and CenterCrop do; none: the frame is as large as fits.
    std::optional<int> resize;
    Interpolation interpolation = Interpolation::bilinear;
    // Pixels are rounded to 8 bits after each pass, as Pillow does; then the models see exactly
    // what their training code showed them.
    bool eight_bit = false;
    std::array<float, 3> mean{0.5F, 0.5F, 0.5F};
    std::array<float, 3> std{0.5F, 0.5F, 0.5F};

    friend bool operator==(const Preprocessing&, const Preprocessing&) = default;
};

// The picture framed as `how` says: [how.height, how.width, channels] in [0, 1], not yet
// normalised. Throws ImageError as frame_image does.
Image preprocess(const Image& image, const Preprocessing& how);

}  // namespace headlight
