#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/names.h"

// A noisy curve whose windows are tokens; attention without projections smooths it.
namespace headlight {

enum class Curve { steps, waves, pulses, drawn };
template <>
inline constexpr auto kNames<Curve> = std::to_array<std::string_view>({"steps", "waves", "pulses",
                                                                       "drawn"});

inline constexpr int kLeastSamples = 64, kMostSamples = 512;
inline constexpr int kMostWindow = 63;
inline constexpr float kMostNoise = 2;
inline constexpr float kMostLevel = 2;  // absolute value in a drawn curve

struct Signal {
    Curve curve = Curve::steps;
    int samples = 160;         // of a generated curve; a drawn curve uses the size of `drawn`
    int window = 9;            // samples per token; odd, so that there is a middle sample
    float noise = 0.3F;        // standard deviation, per sample
    std::uint64_t seed = 1;    // of the noise
    std::vector<float> drawn;  // the clean curve if curve is Curve::drawn

    // Each window that fits into the curve is a token: tokens().
    [[nodiscard]] int length() const {
        return curve == Curve::drawn ? static_cast<int>(drawn.size()) : samples;
    }
    [[nodiscard]] int tokens() const { return length() - window + 1; }
    bool operator==(const Signal&) const = default;
};

// Throws TokenError (vector_set.h) for a number out of range, an even window, and a drawn curve
// with fewer than kLeastSamples or more than kMostSamples samples.
void validate(const Signal& signal);

// [1, length]
Matrix clean_curve(const Signal& signal);
// `clean` plus normally distributed noise; equal seeds give equal noise.
Matrix noisy_curve(const Signal& signal, const Matrix& clean);

// Each window as a row, starting at the first sample and moving by one sample: [length − window +
// 1, window].
Matrix windows_of(const MatrixView& curve, int window);

}  // namespace headlight
