#include <algorithm>
#include <cmath>

#include "image/image.h"
#include "image/limits.h"

namespace headlight {
namespace {

// A stretch of an axis, in pixels; it may begin and end within one.
struct Range {
    double begin = 0, length = 0;
};

// Which source pixels make one target pixel: `weights` (their sum is 1) from pixel `first` on.
struct Taps {
    std::size_t first = 0;
    std::vector<double> weights;
};

// The triangle filter, as wide as one target pixel where the image shrinks, so that every source
// pixel counts, and as wide as one source pixel where it grows (bilinear interpolation). PIL and
// torchvision call this bilinear with antialiasing. It has no negative lobes: values stay in [0,
// 1].
Taps taps_for(double centre, double width, std::size_t pixels) {
    const auto last = static_cast<double>(pixels);
    const double begin = std::clamp(std::floor(centre - width + 0.5), 0.0, last - 1);
    const double end = std::clamp(std::floor(centre + width + 0.5), begin + 1, last);
    Taps taps{static_cast<std::size_t>(begin),
              std::vector<double>(static_cast<std::size_t>(end - begin))};
    double sum = 0, pixel_centre = begin + 0.5;
    for (double& weight : taps.weights) {
        weight = std::max(0.0, 1 - std::abs(pixel_centre - centre) / width);
        sum += weight;
        ++pixel_centre;
    }
    for (double& weight : taps.weights) weight /= sum;
    return taps;
}

// One pass along one axis: values [outer, pixels, inner] -> [outer, targets, inner], where the
// targets divide `range` evenly. Along columns inner is the channels, along rows a whole row.
std::vector<float> resample(const std::vector<float>& values, std::size_t pixels, std::size_t inner,
                            Range range, std::size_t targets) {
    const std::size_t outer = values.size() / (pixels * inner);
    const double step = range.length / static_cast<double>(targets);
    std::vector<float> result(outer * targets * inner);
    std::vector<double> sums(inner);
    for (std::size_t t = 0; t < targets; ++t) {
        const double centre = range.begin + (static_cast<double>(t) + 0.5) * step;
        const Taps taps = taps_for(centre, std::max(1.0, step), pixels);
        for (std::size_t o = 0; o < outer; ++o) {
            std::ranges::fill(sums, 0.0);
            const float* from = values.data() + (o * pixels + taps.first) * inner;
            for (const double weight : taps.weights)
                for (std::size_t i = 0; i < inner; ++i) sums[i] += weight * *from++;
            std::ranges::transform(sums, result.data() + (o * targets + t) * inner,
                                   [](double sum) { return static_cast<float>(sum); });
        }
    }
    return result;
}

Image resize(const Image& image, Range rows, Range cols, int height, int width) {
    const auto h = static_cast<std::size_t>(image.height),
               w = static_cast<std::size_t>(image.width);
    const auto channels = static_cast<std::size_t>(image.channels);
    const auto to_h = static_cast<std::size_t>(height), to_w = static_cast<std::size_t>(width);
    Image result{height, width, image.channels, {}};
    // The order with the smaller picture in between, which is then never larger than the larger
    // of the two ends.
    if (h * to_w <= to_h * w) {
        result.values = resample(image.values, w, channels, cols, to_w);
        result.values = resample(result.values, h, to_w * channels, rows, to_h);
    } else {
        result.values = resample(image.values, h, w * channels, rows, to_h);
        result.values = resample(result.values, w, channels, cols, to_w);
    }
    return result;
}

Image stretch(const Image& image, int height, int width) {
    return resize(image, {0, double(image.height)}, {0, double(image.width)}, height, width);
}

// The largest centred part of the image that has the frame's aspect.
Image crop(const Image& image, int height, int width) {
    const double scale = std::min(double(image.height) / height, double(image.width) / width);
    const Range rows{(image.height - height * scale) / 2, height * scale};
    const Range cols{(image.width - width * scale) / 2, width * scale};
    return resize(image, rows, cols, height, width);
}

Image fit(const Image& image, int height, int width) {
    const double scale = std::min(double(height) / image.height, double(width) / image.width);
    const int inner_height =
        std::clamp(static_cast<int>(std::lround(image.height * scale)), 1, height);
    const int inner_width =
        std::clamp(static_cast<int>(std::lround(image.width * scale)), 1, width);
    const Image inner = stretch(image, inner_height, inner_width);

    constexpr float kMidGrey = 0.5F;
    Image frame{height, width, image.channels, {}};
    frame.values.assign(static_cast<std::size_t>(height) * width * image.channels, kMidGrey);
    const std::ptrdiff_t inner_row = std::ptrdiff_t{inner_width} * image.channels;
    const std::ptrdiff_t frame_row = std::ptrdiff_t{width} * image.channels;
    const std::ptrdiff_t left = std::ptrdiff_t{(width - inner_width) / 2} * image.channels;
    const std::ptrdiff_t top = (height - inner_height) / 2;
    for (std::ptrdiff_t row = 0; row < inner_height; ++row)
        std::copy_n(inner.values.begin() + row * inner_row, inner_row,
                    frame.values.begin() + (top + row) * frame_row + left);
    return frame;
}

}  // namespace

Image frame_image(const Image& image, int height, int width, Framing framing) {
    check_size(height, width, "frame", kMaxPixels);
    check_size(image.height, image.width, "image to be framed", kMaxPixels);
    switch (framing) {
        case Framing::crop:
            return crop(image, height, width);
        case Framing::fit:
            return fit(image, height, width);
        case Framing::stretch:
            break;
    }
    return stretch(image, height, width);
}

}  // namespace headlight
