#include "image/preprocessing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

// The largest centered part of the image with the aspect of the input size.
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

// Centers the image in a larger or equal frame of one color. If the number of free pixels is odd,
// the extra one is after the image, or before it with `more_before`.
Image center(const Image& image, int height, int width, const std::array<float, 3>& free,
             bool more_before = false) {
    Image frame{height, width, image.channels, {}};
    frame.values.resize(static_cast<std::size_t>(height) * width * image.channels);
    const auto channels = static_cast<std::size_t>(image.channels);
    for (std::size_t i = 0; i < frame.values.size(); ++i) frame.values[i] = free[i % channels];
    const std::ptrdiff_t image_row = std::ptrdiff_t{image.width} * image.channels;
    const std::ptrdiff_t frame_row = std::ptrdiff_t{width} * image.channels;
    const auto before = [&](int pixels) -> std::ptrdiff_t { return (pixels + more_before) / 2; };
    const std::ptrdiff_t left = before(width - image.width) * image.channels;
    const std::ptrdiff_t top = before(height - image.height);
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
    constexpr std::array kMidGrey{0.5F, 0.5F, 0.5F};  // also with eight_bit: not a pixel of the
                                                      // picture
    return center(inner, how.height, how.width, kMidGrey);
}

struct Lengths {
    std::int64_t height = 0, width = 0;
};

// Size of the whole picture after resizing, before cutting.
Lengths resized_lengths(int height, int width, const Preprocessing& how) {
    if (how.keeps_size) return {height, width};
    const ResizeTo to = *how.resize;
    if (how.framing == Framing::stretch) return {to.height, to.width};
    if (how.framing == Framing::crop && to.height == to.width) {
        const std::int64_t shorter = to.height, short_side = std::min(height, width);
        return {shorter * height / short_side, shorter * width / short_side};
    }
    const double down = double(height) / to.height, across = double(width) / to.width;
    const double ratio =
        how.framing == Framing::fit ? std::max(down, across) : std::min(down, across);
    const auto length = [&](int pixels) {
        return std::max<std::int64_t>(1, std::llrint(pixels / ratio));
    };
    return {length(height), length(width)};
}

// One side, cut to its middle. Only that part is computed, so a long picture costs no more than a
// square one.
ResizedSide cut_side(int pixels, std::int64_t length, int frame, const Preprocessing& how) {
    check_size(length, 1, "resized image", kMaxPixels);
    ResizedSide cut{0, static_cast<double>(pixels), length, 0, length};
    if (length <= frame) return cut;
    // llrint rounds halves to even, as Python does.
    cut.first = how.cuts_smaller_half_first ? (length - frame) / 2
                                            : std::llrint(static_cast<double>(length - frame) / 2);
    cut.count = frame;
    return cut;
}

bool is_cut(const Preprocessing& how) { return how.resize || how.keeps_size; }

struct CutSides {
    ResizedSide rows, cols;
};
CutSides cut_sides(int height, int width, const Preprocessing& how) {
    if (how.resize) check_size(how.resize->height, how.resize->width, "resized image", kMaxPixels);
    const Lengths lengths = resized_lengths(height, width, how);
    return {cut_side(height, lengths.height, how.height, how),
            cut_side(width, lengths.width, how.width, how)};
}

Image resize_and_cut(const Image& image, const Preprocessing& how) {
    const auto [rows, cols] = cut_sides(image.height, image.width, how);
    const Image inner = resize(image, rows, cols, how.interpolation, how.eight_bit);
    return center(inner, how.height, how.width, how.fill, how.cuts_smaller_half_first);
}

}  // namespace

// The scale is found by bisection with the bounds of SigLIP 2's own code, so that pictures between
// two grids get the same grid.
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

ResizeTo resized_for(int height, int width, double crop_fraction) {
    // A little more than the quotient, so that 224 / 0.875 is 256 in any arithmetic.
    const auto side = [&](int frame) {
        const double resized = std::floor(frame / crop_fraction + 1e-3);
        return static_cast<int>(std::clamp(resized, 1.0, double{std::numeric_limits<int>::max()}));
    };
    return {side(height), side(width)};
}

Preprocessing with_frame(Preprocessing how, int height, int width) {
    how.limit.reset();
    if (height == how.height && width == how.width) return how;
    how.height = height;
    how.width = width;
    if (how.resize && how.crop_fraction)
        how.resize = resized_for(height, width, *how.crop_fraction);
    return how;
}

std::string_view words_of(Framing framing) {
    switch (framing) {
        case Framing::crop:
            return "cropped from the center";
        case Framing::fit:
            return "fitted, with gray around it";
        case Framing::stretch:
            return "stretched";
    }
    return "";
}

Image preprocess(const Image& image, const Preprocessing& how) {
    check_size(how.height, how.width, "frame", kMaxPixels);
    check_size(image.height, image.width, "image before framing", kMaxPixels);
    if (is_cut(how)) return resize_and_cut(image, how);
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
    if (is_cut(how)) {
        const auto shown = [](int pixels, const ResizedSide& side) {
            const double each = static_cast<double>(pixels) / static_cast<double>(side.length);
            return std::pair(static_cast<double>(side.first) * each,
                             static_cast<double>(side.count) * each);
        };
        const auto [rows, cols] = cut_sides(height, width, how);
        const auto [row, down] = shown(height, rows);
        const auto [col, across] = shown(width, cols);
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
