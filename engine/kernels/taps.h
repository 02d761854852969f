#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Resampling along one axis as the rows of a sparse matrix: which source samples make each target.
// A picture's pixels and a table of positions are resampled with the same ones.
namespace headlight {

// A function of the distance in samples, zero from `support` on.
struct ResamplingKernel {
    double (*value)(double distance);
    double support;
};
extern const ResamplingKernel kLinearKernel;  // a triangle
// R. Keys, "Cubic Convolution Interpolation for Digital Image Processing" (1981), with the free
// parameter a that its section IV recommends, −1/2, and with the −3/4 that OpenCV and PyTorch took.
extern const ResamplingKernel kCubicHalfKernel, kCubicThreeQuartersKernel;
extern const ResamplingKernel kLanczosKernel;  // sinc(x) · sinc(x / 3) on three lobes
// Pillow's box, 1 from −½ (without) to ½ (with), and its Hamming window on one lobe of sinc(x).
extern const ResamplingKernel kBoxKernel, kHammingKernel;

// Where the targets lie. Sample i covers [i, i + 1); target t has its center at
// begin + (t + 0.5) · step, which is not far outside [0, sources]. Of all targets, `targets` from
// `first` on are wanted.
struct ResampledAxis {
    std::int64_t sources = 1;  // >= 1
    double begin = 0, step = 1;
    std::int64_t first = 0, targets = 1;
};

struct Taps {
    std::vector<std::size_t> first;  // [targets]: the first source sample of each
    // [targets + 1]: target t has the weights[offset[t]] to weights[offset[t + 1] - 1].
    std::vector<std::size_t> offset{0};
    std::vector<double> weights;

    [[nodiscard]] std::size_t targets() const { return first.size(); }
    [[nodiscard]] std::size_t count(std::size_t target) const {
        return offset[target + 1] - offset[target];
    }
    [[nodiscard]] std::span<const double> of(std::size_t target) const {
        return std::span(weights).subspan(offset[target], count(target));
    }
};

// The kernel as wide as one target where the axis shrinks, so that every sample counts, and as wide
// as one sample where it grows; cut at the borders, and the weights' sum brought to 1. As Pillow
// resizes, and torch.nn.functional.interpolate with antialias=True.
Taps antialiased_taps(const ResamplingKernel& kernel, const ResampledAxis& axis);

// The kernel as wide as one sample, however far apart the targets; what lies outside is taken for
// the border's sample. As torch.nn.functional.interpolate does without antialias.
Taps interpolating_taps(const ResamplingKernel& kernel, const ResampledAxis& axis);

// The one sample in which the target's center lies. The step is added again and again, as Pillow
// does, because centers on the border of two samples fall to a side by their rounding errors.
Taps nearest_taps(const ResampledAxis& axis);

}  // namespace headlight
