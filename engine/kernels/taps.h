#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Resampling along one axis as a sparse matrix: which source samples contribute to each target
// sample. Pixels of pictures and position tables use the same functions.
namespace headlight {

// A function of the distance in samples; zero from `support` on.
struct ResamplingKernel {
    double (*value)(double distance);
    double support;
};
extern const ResamplingKernel kLinearKernel;  // a triangle
// R. Keys, "Cubic Convolution Interpolation for Digital Image Processing" (1981). The free
// parameter a is −1/2, which section IV recommends, or −3/4, as in OpenCV and PyTorch.
extern const ResamplingKernel kCubicHalfKernel, kCubicThreeQuartersKernel;
extern const ResamplingKernel kLanczosKernel;  // sinc(x) · sinc(x / 3), three lobes
// Pillow's box filter, 1 on (−½, ½], and its Hamming filter, a Hamming window on one lobe of
// sinc(x).
extern const ResamplingKernel kBoxKernel, kHammingKernel;

// The positions of the targets. Sample i covers [i, i + 1). Target t has its center at begin + (t +
// 0.5) · step, which is not far outside [0, sources]. Only `targets` targets from `first` on are
// computed.
struct ResampledAxis {
    std::int64_t sources = 1;  // >= 1
    double begin = 0, step = 1;
    std::int64_t first = 0, targets = 1;
};

struct Taps {
    std::vector<std::size_t> first;  // [targets]: index of each target's first source sample
    // [targets + 1]: target t uses weights[offset[t]] to weights[offset[t + 1] - 1].
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

// The kernel is as wide as one target where the axis shrinks, so that every sample contributes.
// Where the axis grows, it is as wide as one sample. It is cut at the borders and its weights are
// normalized to sum 1. As Pillow resizes, and as torch.nn.functional.interpolate with
// antialias=True.
Taps antialiased_taps(const ResamplingKernel& kernel, const ResampledAxis& axis);

// The kernel is always as wide as one sample, however far apart the targets are. Samples outside
// are replaced by the border sample. As torch.nn.functional.interpolate without antialias.
Taps interpolating_taps(const ResamplingKernel& kernel, const ResampledAxis& axis);

// The one sample that contains the target's center. The step is added up target by target, as in
// Pillow: a center on the border of two samples goes to one side by its rounding error.
Taps nearest_taps(const ResampledAxis& axis);

}  // namespace headlight
