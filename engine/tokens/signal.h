#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/matrix.h"
#include "kernels/names.h"

// A curve with noise whose windows are tokens: what attention without weights makes smooth.
namespace headlight {

enum class Curve { steps, waves, pulses, drawn };
template <>
inline constexpr auto kNames<Curve> = std::to_array<std::string_view>({"steps", "waves", "pulses",
                                                                       "drawn"});

inline constexpr int kLeastSamples = 64, kMostSamples = 512;
inline constexpr int kMostWindow = 63;
inline constexpr float kMostNoise = 2;
inline constexpr float kMostLevel = 2;  // of a drawn curve, either way

struct Signal {
    Curve curve = Curve::steps;
    int samples = 160;         // of a generated curve; a drawn one has as many as were drawn
    int window = 9;            // samples in a token; odd, so that one of them is in the middle
    float noise = 0.3F;        // standard deviation of what is added to every sample
    std::uint64_t seed = 1;    // of the noise
    std::vector<float> drawn;  // Curve::drawn: the clean curve

    // Windows that lie in the curve as a whole: tokens.
    [[nodiscard]] int length() const {
        return curve == Curve::drawn ? static_cast<int>(drawn.size()) : samples;
    }
    [[nodiscard]] int tokens() const { return length() - window + 1; }
    bool operator==(const Signal&) const = default;
};

// Throws TokenError (vector_set.h): a number outside its range, an even window, a drawn curve of
// another length than kLeastSamples to kMostSamples.
void validate(const Signal& signal);

// [1, length]
Matrix clean_curve(const Signal& signal);
// The same with normally distributed noise, equal for equal seeds.
Matrix noisy_curve(const Signal& signal, const Matrix& clean);

// Each window a row, from the first sample on, one sample further each: [length − window + 1,
// window].
Matrix windows_of(const MatrixView& curve, int window);

}  // namespace headlight
