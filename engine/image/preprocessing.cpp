#include "image/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

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
PicturePart cropped(int height, int width, const Preprocessing& how) {
    PicturePart part{0, 0, double(height), double(width)};
    const std::int64_t down = std::int64_t{height} * how.width,
                       across = std::int64_t{width} * how.height;
    if (down > across) part.height = double(how.height) * width / how.width;
    if (across > down) part.width = double(how.width) * height / how.height;
    part.row = (height - part.height) / 2;
    part.col = (width - part.width) / 2;
    return part;
}

Image crop(const Image& image, const Preprocessing& how) {
    const PicturePart part = cropped(image.height, image.width, how);
    const auto side = [](double begin, int pixels, int length) {
        return ResizedSide{begin, pixels - begin, length, 0, length};
    };
    return resize(image, side(part.row, image.height, how.height),
                  side(part.col, image.width, how.width), how.interpolation, how.eight_bit);
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

// One side of torchvision's Resize and CenterCrop. Only what the frame shows is computed, so a long
// picture costs no more than a square one.
ResizedSide resized_and_cut(int pixels, int short_side, int shorter, int frame) {
    const std::int64_t length = std::int64_t{shorter} * pixels / short_side;
    check_size(length, 1, "resized image", kMaxPixels);
    ResizedSide cut{0, static_cast<double>(pixels), length, 0, length};
    if (length <= frame) return cut;
    // Halves go to the even number, as Python rounds.
    cut.first = std::llrint(static_cast<double>(length - frame) / 2);
    cut.count = frame;
    return cut;
}

Image resize_and_cut(const Image& image, int shorter, const Preprocessing& how) {
    const int short_side = std::min(image.height, image.width);
    const Image inner =
        resize(image, resized_and_cut(image.height, short_side, shorter, how.height),
               resized_and_cut(image.width, short_side, shorter, how.width), how.interpolation,
               how.eight_bit);
    constexpr float kBlack = 0;
    return centre(inner, how.height, how.width, kBlack);
}

}  // namespace

// The scale is found by halving as in SigLIP 2's own code, with its bounds, so that pictures
// between two grids get the same one.
Preprocessing framed_for(int height, int width, Preprocessing how) {
    if (!how.limit) return how;
    const double patch = how.limit->patch, most = how.limit->most;
    constexpr double kLargest = 100, kStep = 1e-5, kSmallest = kStep / 10;
    const auto patches = [&](int pixels, double scale) {
        return std::max(1.0, std::ceil(pixels * scale / patch));
    };
    double low = kSmallest, high = kLargest;
    while (high - low >= kStep) {
        const double scale = (low + high) / 2;
        (patches(height, scale) * patches(width, scale) <= most ? low : high) = scale;
    }
    how.height = static_cast<int>(patches(height, low) * patch);
    how.width = static_cast<int>(patches(width, low) * patch);
    how.framing = Framing::stretch;
    how.limit.reset();
    return how;
}

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

PicturePart part_in_frame(int height, int width, const Preprocessing& how) {
    if (how.resize) {
        const auto cut = [&](int pixels, int frame) {
            const ResizedSide side =
                resized_and_cut(pixels, std::min(height, width), *how.resize, frame);
            const double each = static_cast<double>(pixels) / static_cast<double>(side.length);
            return std::pair(static_cast<double>(side.first) * each,
                             static_cast<double>(side.count) * each);
        };
        const auto [row, down] = cut(height, how.height);
        const auto [col, across] = cut(width, how.width);
        return {row, col, down, across};
    }
    if (how.framing == Framing::crop) return cropped(height, width, how);
    return {0, 0, double(height), double(width)};
}

Image frame_image(const Image& image, int height, int width, Framing framing) {
    Preprocessing how;
    how.height = height;
    how.width = width;
    how.framing = framing;
    return preprocess(image, how);
}

}  // namespace headlight
