#include "image/resize.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "image/limits.h"
#include "kernels/parallel.h"
#include "kernels/taps.h"

namespace headlight {
namespace {

// Arithmetic of a pass with floats: sums in double, rounded once.
struct FloatPass {
    using Sample = float;
    using Weight = double;
    static constexpr Weight kStart = 0;
    static const std::vector<double>& weights(const Taps& taps) { return taps.weights; }
    static Sample rounded(double sum) { return static_cast<float>(sum); }
};

// Arithmetic of a pass with bytes, as in Pillow: weights have 22 fractional bits, which leaves 8
// bits for the value and 2 for the range of negative lobes.
struct BytePass {
    using Sample = std::uint8_t;
    using Weight = std::int32_t;
    static constexpr int kBits = 32 - 8 - 2;
    static constexpr Weight kStart = 1 << (kBits - 1);  // one half, for rounding
    static std::vector<Weight> weights(const Taps& taps) {
        std::vector<Weight> fixed(taps.weights.size());
        std::ranges::transform(taps.weights, fixed.begin(), [](double weight) {
            // Rounds halves away from zero. (std::round does not add the half first.)
            return static_cast<Weight>((weight < 0 ? -0.5 : 0.5) + weight * (1 << kBits));
        });
        return fixed;
    }
    static Sample rounded(Weight sum) {
        return static_cast<Sample>(std::clamp(sum >> kBits, 0, 255));
    }
};

// Computes one target: the weighted sum of source samples [weights.size(), sums.size()].
template <typename Pass, std::size_t kInner>
void weigh(const typename Pass::Sample* from, std::span<const typename Pass::Weight> weights,
           std::span<typename Pass::Weight, kInner> sums, typename Pass::Sample* to) {
    std::ranges::fill(sums, Pass::kStart);
    for (const auto weight : weights)
        for (auto& sum : sums) sum += weight * *from++;
    std::ranges::transform(sums, to, Pass::rounded);
}

// One pass along one axis: [outer, pixels, inner] -> [outer, targets, inner]. Along columns, inner
// is the channels; along rows, a whole row.
template <typename Pass>
std::vector<typename Pass::Sample> resample(std::span<const typename Pass::Sample> samples,
                                            std::size_t pixels, std::size_t inner,
                                            const Taps& taps) {
    const std::size_t outer = samples.size() / (pixels * inner);
    std::vector<typename Pass::Sample> result(outer * taps.targets() * inner);
    const auto& weights = Pass::weights(taps);
    const auto targets = static_cast<Index>(outer * taps.targets());
    const Index block = std::max<Index>(1, targets / 64);
    parallel_rows(targets, block, [&](Index first, Index count) {
        std::vector<typename Pass::Weight> sums(inner);
        for (Index each = first; each < first + count; ++each) {
            const auto i = static_cast<std::size_t>(each);
            const std::size_t o = i / taps.targets(), t = i % taps.targets();
            const auto* from = samples.data() + (o * pixels + taps.first[t]) * inner;
            const auto own = std::span(weights).subspan(taps.offset[t], taps.count(t));
            auto* to = result.data() + i * inner;
            if (inner == 3)  // a constant, so that the sums stay in registers
                weigh<Pass, 3>(from, own, std::span<typename Pass::Weight, 3>(sums), to);
            else
                weigh<Pass, std::dynamic_extent>(from, own, sums, to);
        }
    });
    return result;
}

Taps taps_along(const ResizedSide& side, std::int64_t pixels, Interpolation interpolation) {
    const double step = (side.end - side.begin) / static_cast<double>(side.length);
    const ResampledAxis axis{pixels, side.begin, step, side.first, side.count};
    switch (interpolation) {
        case Interpolation::bilinear:
            return antialiased_taps(kLinearKernel, axis);
        case Interpolation::bicubic:
            return antialiased_taps(kCubicHalfKernel, axis);
        case Interpolation::lanczos:
            return antialiased_taps(kLanczosKernel, axis);
        case Interpolation::box:
            return antialiased_taps(kBoxKernel, axis);
        case Interpolation::hamming:
            return antialiased_taps(kHammingKernel, axis);
        case Interpolation::nearest:
            break;
    }
    return nearest_taps(axis);
}

bool changes_nothing(const ResizedSide& side, std::int64_t pixels) {
    return side.begin == 0 && side.end == static_cast<double>(pixels) && side.length == pixels &&
           side.count == pixels;
}

// The source rows that the targets need, with taps relative to the first of them.
struct Needed {
    std::size_t first = 0, count = 0;
    Taps taps;
};

Needed only_needed(Taps taps) {
    const std::size_t first = taps.first.front();
    const std::size_t count = taps.first.back() + taps.count(taps.targets() - 1) - first;
    for (std::size_t& target : taps.first) target -= first;
    return {first, count, std::move(taps)};
}

enum class Order { columns_first, rows_first };

// samples [height, width, channels] -> [rows.targets, cols.targets, channels].
template <typename Pass>
std::vector<typename Pass::Sample> both_passes(std::span<const typename Pass::Sample> samples,
                                               std::size_t height, std::size_t channels,
                                               const Taps& rows, const Taps& cols, Order order) {
    const std::size_t row = samples.size() / height, width = row / channels;
    if (order == Order::columns_first)
        return resample<Pass>(resample<Pass>(samples, width, channels, cols), height,
                              cols.targets() * channels, rows);
    return resample<Pass>(resample<Pass>(samples, height, row, rows), width, channels, cols);
}

// Calls each(first, count) for parts of an array.
void in_parts(std::size_t size, const std::function<void(std::size_t, std::size_t)>& each) {
    constexpr Index kPart = 1 << 16;
    parallel_rows(static_cast<Index>(size), kPart, [&](Index first, Index count) {
        each(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    });
}

// The picture as Pillow has it: the bytes of an 8-bit file, the upper bytes of a 16-bit one.
std::vector<std::uint8_t> to_bytes(std::span<const float> values) {
    constexpr float kHalf = 0.5F;
    std::vector<std::uint8_t> bytes(values.size());
    in_parts(values.size(), [&](std::size_t first, std::size_t count) {
        std::ranges::transform(values.subspan(first, count), bytes.begin() + first, [](float v) {
            const float sixteen_bits = std::clamp(v, 0.0F, 1.0F) * 65535;
            return static_cast<std::uint8_t>(static_cast<std::int32_t>(sixteen_bits + kHalf) >> 8);
        });
    });
    return bytes;
}

std::vector<float> to_floats(std::span<const std::uint8_t> bytes) {
    std::vector<float> values(bytes.size());
    std::ranges::transform(bytes, values.begin(),
                           [](std::uint8_t byte) { return static_cast<float>(byte) / 255; });
    return values;
}

// Pillow stores the ends as float.
ResizedSide with_ends_in_float(ResizedSide side) {
    const auto begin = static_cast<float>(side.begin);
    const float length = static_cast<float>(side.end) - begin;
    side.begin = begin;
    side.end = side.begin + length;
    return side;
}

}  // namespace

Image resize(const Image& image, const ResizedSide& rows, const ResizedSide& cols,
             Interpolation interpolation, bool eight_bit) {
    const auto taps = [&](const ResizedSide& side, int pixels) {
        return taps_along(eight_bit ? with_ends_in_float(side) : side, pixels, interpolation);
    };
    const auto channels = static_cast<std::size_t>(image.channels);
    const std::size_t row = static_cast<std::size_t>(image.width) * channels;
    const Needed down = only_needed(taps(rows, image.height));
    const Taps across = taps(cols, image.width);
    const auto source = std::span(image.values).subspan(down.first * row, down.count * row);

    Image result{static_cast<int>(rows.count), static_cast<int>(cols.count), image.channels, {}};
    if (eight_bit) {
        check_size(static_cast<std::int64_t>(down.count), cols.count,
                   "picture between the passes of an 8-bit resize", kMaxPixels);
        result.values = to_floats(both_passes<BytePass>(to_bytes(source), down.count, channels,
                                                        down.taps, across, Order::columns_first));
        return result;
    }
    if (changes_nothing(rows, image.height) && changes_nothing(cols, image.width)) return image;
    // Choose the order with the smaller picture in between, which is then never larger than both
    // the source and the result.
    const std::uint64_t between_if_columns = std::uint64_t{down.count} * across.targets();
    const std::uint64_t between_if_rows = std::uint64_t{down.taps.targets()} * image.width;
    const Order order =
        between_if_columns <= between_if_rows ? Order::columns_first : Order::rows_first;
    result.values = both_passes<FloatPass>(source, down.count, channels, down.taps, across, order);
    if (interpolation == Interpolation::bicubic || interpolation == Interpolation::lanczos)
        for (float& value : result.values) value = std::clamp(value, 0.0F, 1.0F);
    return result;
}

}  // namespace headlight
