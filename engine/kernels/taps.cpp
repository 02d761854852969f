#include "kernels/taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight {
namespace {

double linear(double x) { return std::max(0.0, 1 - std::abs(x)); }

double cubic(double x, double a) {
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

double sinc(double x) {
    x *= std::numbers::pi;
    return x == 0 ? 1 : std::sin(x) / x;
}

double lanczos(double x) { return std::abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0; }

// Pillow's constants are floats.
double hamming(double x) {
    return std::abs(x) < 1 ? sinc(x) * (0.54F + 0.46F * std::cos(x * std::numbers::pi)) : 0;
}

double center_of(const ResampledAxis& axis, std::int64_t target) {
    return axis.begin + (static_cast<double>(axis.first + target) + 0.5) * axis.step;
}

// The sample that contains a position, clamped to [least, most].
std::int64_t sample_at(double place, std::int64_t least, std::int64_t most) {
    return std::clamp(static_cast<std::int64_t>(std::floor(place)), least, most);
}

void append(Taps& taps, std::int64_t first, std::span<const double> weights) {
    taps.first.push_back(static_cast<std::size_t>(first));
    taps.weights.insert(taps.weights.end(), weights.begin(), weights.end());
    taps.offset.push_back(taps.weights.size());
}

}  // namespace

const ResamplingKernel kLinearKernel{linear, 1};
const ResamplingKernel kCubicHalfKernel{[](double x) { return cubic(x, -0.5); }, 2};
const ResamplingKernel kCubicThreeQuartersKernel{[](double x) { return cubic(x, -0.75); }, 2};
const ResamplingKernel kLanczosKernel{lanczos, 3};
const ResamplingKernel kBoxKernel{[](double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }, 0.5};
const ResamplingKernel kHammingKernel{hamming, 1};

Taps antialiased_taps(const ResamplingKernel& kernel, const ResampledAxis& axis) {
    const double width = std::max(1.0, axis.step), reach = kernel.support * width;
    const double narrowing = 1 / width;
    Taps taps;
    std::vector<double> weights;
    for (std::int64_t t = 0; t < axis.targets; ++t) {
        const double center = center_of(axis, t);
        const std::int64_t begin = sample_at(center - reach + 0.5, 0, axis.sources - 1);
        const std::int64_t end = sample_at(center + reach + 0.5, begin + 1, axis.sources);
        weights.resize(static_cast<std::size_t>(end - begin));
        double sum = 0, sample = static_cast<double>(begin);
        for (double& weight : weights) {
            weight = kernel.value((sample - center + 0.5) * narrowing);
            sum += weight;
            ++sample;
        }
        for (double& weight : weights) weight /= sum;
        append(taps, begin, weights);
    }
    return taps;
}

Taps interpolating_taps(const ResamplingKernel& kernel, const ResampledAxis& axis) {
    const auto clamped = [&](std::int64_t sample) {
        return std::clamp<std::int64_t>(sample, 0, axis.sources - 1);
    };
    Taps taps;
    std::vector<double> weights;
    for (std::int64_t t = 0; t < axis.targets; ++t) {
        const double at = center_of(axis, t) - 0.5;  // the center of sample i is at i here
        const auto before = static_cast<std::int64_t>(std::floor(at));
        const auto reach = static_cast<std::int64_t>(kernel.support);
        const std::int64_t begin = before - reach + 1, end = before + reach;
        const std::int64_t first = clamped(begin);
        weights.assign(static_cast<std::size_t>(clamped(end) - first) + 1, 0);
        for (std::int64_t sample = begin; sample <= end; ++sample)
            weights[clamped(sample) - first] += kernel.value(static_cast<double>(sample) - at);
        append(taps, first, weights);
    }
    return taps;
}

Taps nearest_taps(const ResampledAxis& axis) {
    constexpr double kWhole = 1;
    double center = axis.begin + axis.step * 0.5;
    for (std::int64_t t = 0; t < axis.first; ++t) center += axis.step;
    Taps taps;
    for (std::int64_t t = 0; t < axis.targets; ++t, center += axis.step)
        append(taps, sample_at(center, 0, axis.sources - 1), {&kWhole, 1});
    return taps;
}

}  // namespace headlight
