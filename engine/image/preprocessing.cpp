#include "image/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "image/limits.h"
#include "image/resize.h"

namespace headlight {
namespace {

ResizedSide whole(int pixels, int length) {
    return {0, static_cast<double>(pixels), length, 0, length};
}

Image stretch(const Image& image, int height, int width, const Preprocessing& how) {
    return resize(image, whole(image.height, height), whole(image.width, width), how.interpolation,
                  how.eight_bit);
}

// The largest centred part of the image that has the frame's aspect: one side whole, of the other
// what belongs to it.
Image crop(const Image& image, const Preprocessing& how) {
    const auto part = [](int pixels, int length, int whole_pixels, int whole_length) {
        const double used = double(length) * whole_pixels / whole_length;
        const double begin = (pixels - used) / 2;
        return ResizedSide{begin, pixels - begin, length, 0, length};
    };
    const std::int64_t down = std::int64_t{image.height} * how.width;
    const std::int64_t across = std::int64_t{image.width} * how.height;
    const ResizedSide rows = down <= across
                                 ? whole(image.height, how.height)
                                 : part(image.height, how.height, image.width, how.width);
    const ResizedSide cols = across <= down
                                 ? whole(image.width, how.width)
                                 : part(image.width, how.width, image.height, how.height);
    return resize(image, rows, cols, how.interpolation, how.eight_bit);
}

// The image in the middle of a frame that is nowhere smaller; what stays free is of one value.
Image centre(const Image& image, int height, int width, float free) {
    Image frame{height, width, image.channels, {}};
    frame.values.assign(static_cast<std::size_t>(height) * width * image.channels, free);
    const std::ptrdiff_t image_row = std::ptrdiff_t{image.width} * image.channels;
    const std::ptrdiff_t frame_row = std::ptrdiff_t{width} * image.channels;
    const std::ptrdiff_t left = std::ptrdiff_t{(width - image.width) / 2} * image.channels;
    const std::ptrdiff_t top = (height - image.height) / 2;
    for (std::ptrdiff_t row = 0; row < image.height; ++row)
        std::copy_n(image.values.begin() + row * image_row, image_row,
                    frame.values.begin() + (top + row) * frame_row + left);
    return frame;
}

Image fit(const Image& image, const Preprocessing& how) {
    const double scale =
        std::min(double(how.height) / image.height, double(how.width) / image.width);
    const auto scaled = [scale](int pixels, int most) {
        return std::clamp(static_cast<int>(std::lround(pixels * scale)), 1, most);
    };
    const Image inner =
        stretch(image, scaled(image.height, how.height), scaled(image.width, how.width), how);
    constexpr float kMidGrey = 0.5F;  // also of eight bits: it is no pixel of the picture
    return centre(inner, how.height, how.width, kMidGrey);
}

// torchvision's Resize and CenterCrop. Only what the frame shows is computed, so a long picture
// costs no more than a square one.
Image resize_and_cut(const Image& image, int shorter, const Preprocessing& how) {
    const std::int64_t short_side = std::min(image.height, image.width);
    const auto side = [&](int pixels, int frame) {
        const std::int64_t length = std::int64_t{shorter} * pixels / short_side;
        check_size(length, 1, "resized image", kMaxPixels);
        ResizedSide cut{0, static_cast<double>(pixels), length, 0, length};
        if (length <= frame) return cut;
        // Halves go to the even number, as Python rounds.
        cut.first = std::llrint(static_cast<double>(length - frame) / 2);
        cut.count = frame;
        return cut;
    };
    const Image inner = resize(image, side(image.height, how.height), side(image.width, how.width),
                               how.interpolation, how.eight_bit);
    constexpr float kBlack = 0;
    return centre(inner, how.height, how.width, kBlack);
}

}  // namespace

std::string_view words_of(Framing framing) {
    switch (framing) {
        case Framing::crop:
            return "cut from the centre";
        case Framing::fit:
            return "fitted, with grey beside it";
        case Framing::stretch:
            return "stretched";
    }
    return "";
}

Image preprocess(const Image& image, const Preprocessing& how) {
    check_size(how.height, how.width, "frame", kMaxPixels);
    check_size(image.height, image.width, "image to be framed", kMaxPixels);
    if (how.resize) return resize_and_cut(image, *how.resize, how);
    switch (how.framing) {
        case Framing::crop:
            return crop(image, how);
        case Framing::fit:
            return fit(image, how);
        case Framing::stretch:
            break;
    }
    return stretch(image, how.height, how.width, how);
}

Image frame_image(const Image& image, int height, int width, Framing framing) {
    Preprocessing how;
    how.height = height;
    how.width = width;
    how.framing = framing;
    return preprocess(image, how);
}

}  // namespace headlight
