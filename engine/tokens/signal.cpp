#include "tokens/signal.h"

#include <cmath>
#include <numbers>
#include <string>

#include "kernels/random.h"
#include "tokens/vector_set.h"

namespace headlight {

namespace {

[[noreturn]] void refuse_signal(const std::string& what, const std::string& expected,
                                const std::string& found) {
    throw TokenError("signal, " + what + ": expected " + expected + ", found " + found + ".");
}

// Jumps between two levels, with steps of different lengths.
float step_at(double part) {
    float level = 1;
    for (const double edge : {0.16, 0.28, 0.5, 0.58, 0.8})
        if (part >= edge) level = -level;
    return level;
}

float wave_at(double part) {
    constexpr double kPeriods = 4;
    return static_cast<float>(std::sin(2 * std::numbers::pi * kPeriods * part));
}

float pulse_at(double part) {
    constexpr double kWidth = 0.025;
    double sum = -0.5;
    for (const double middle : {0.12, 0.34, 0.5, 0.72, 0.9})
        sum += 1.5 * std::exp(-std::pow((part - middle) / kWidth, 2));
    return static_cast<float>(sum);
}

float curve_at(Curve curve, double part) {
    switch (curve) {
        case Curve::waves:
            return wave_at(part);
        case Curve::pulses:
            return pulse_at(part);
        case Curve::steps:
        case Curve::drawn:
            break;
    }
    return step_at(part);
}

// One of the two numbers of Box and Muller, "A Note on the Generation of Random Normal Deviates",
// 1958.
double normal(SplitMix& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.between(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * random.between(0, 1));
}

}  // namespace

void validate(const Signal& signal) {
    const int length = signal.length();
    if (length < kLeastSamples || length > kMostSamples)
        refuse_signal(
            "samples",
            std::to_string(kLeastSamples) + " to " + std::to_string(kMostSamples) + " of them",
            std::to_string(length));
    if (signal.window < 1 || signal.window > kMostWindow || signal.window % 2 == 0)
        refuse_signal("window", "an odd number from 1 to " + std::to_string(kMostWindow),
                      std::to_string(signal.window));
    if (!(signal.noise >= 0 && signal.noise <= kMostNoise))
        refuse_signal("noise", "a number from 0 to 2", std::to_string(signal.noise));
    for (const float level : signal.drawn)
        if (!(std::abs(level) <= kMostLevel))
            refuse_signal("drawn", "numbers from -2 to 2", std::to_string(level));
}

Matrix clean_curve(const Signal& signal) {
    const int length = signal.length();
    Matrix curve(1, length);
    for (int i = 0; i < length; ++i)
        curve(0, i) = signal.curve == Curve::drawn
                          ? signal.drawn[static_cast<std::size_t>(i)]
                          : curve_at(signal.curve, static_cast<double>(i) / length);
    return curve;
}

Matrix noisy_curve(const Signal& signal, const Matrix& clean) {
    SplitMix random(signal.seed);
    Matrix curve = clean;
    for (Index i = 0; i < curve.cols(); ++i)
        curve(0, i) += signal.noise * static_cast<float>(normal(random));
    return curve;
}

Matrix windows_of(const MatrixView& curve, int window) {
    Matrix windows(curve.cols - window + 1, window);
    for (Index i = 0; i < windows.rows(); ++i)
        for (Index j = 0; j < windows.cols(); ++j) windows(i, j) = curve(0, i + j);
    return windows;
}

}  // namespace headlight
