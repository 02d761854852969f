#include "ui/color_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "ui/canvas.h"

namespace headlight::ui {

namespace {

constexpr int kMostDecades = 60;

// Two significant digits, powers of ten as short as possible: "0.001", "2e−5".
std::string short_text(double value) {
    const double size = std::abs(value);
    if (size == 0) return "0";
    if (size >= 1e-3 && size < 1e4) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.2g", size);
        // From 100 on, the other format would give a power of ten.
        if (size >= 99.5) std::snprintf(text.data(), text.size(), "%.0f", size);
        return (value < 0 ? "−" : "") + std::string(text.data());
    }
    const auto power = static_cast<int>(std::floor(std::log10(size) + 1e-6));
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.2g", size / std::pow(10.0, power));
    return (value < 0 ? "−" : "") + std::string(digits.data()) + "e" + (power < 0 ? "−" : "") +
           std::to_string(std::abs(power));
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
    const double ten = std::pow(10.0, std::floor(std::log10(least)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * ten >= least * (1 - 1e-9)) return digit * ten;
    return 10 * ten;
}

std::vector<double> even_steps(double low, double high) {
    const double step = round_step((high - low) / 5);
    std::vector<double> values;
    if (low < 0 && high > 0) values.push_back(0);
    for (double at = std::ceil(low / step) * step; at < high; at += step)
        if (at > low && std::abs(at) > step / 2) values.push_back(at);
    return values;
}

// Powers of ten, from the largest down or from 1 in both directions; then values in between.
std::vector<double> powers(double low, double high, bool around_one) {
    const int last = static_cast<int>(std::floor(std::log10(high)));
    const int first =
        low > 0 ? std::max(static_cast<int>(std::floor(std::log10(low))), last - kMostDecades)
                : last - 3;
    std::vector<int> exponents;
    for (int e = last; e >= first; --e) exponents.push_back(e);
    if (around_one)
        std::stable_sort(exponents.begin(), exponents.end(),
                         [](int a, int b) { return std::abs(a) < std::abs(b); });
    std::vector<double> values;
    for (const double digit : {1.0, 5.0, 2.0})
        for (const int e : exponents) values.push_back(digit * std::pow(10.0, e));
    std::erase_if(values, [&](double value) { return value <= low || value >= high; });
    return values;
}

}  // namespace

gl::HeatmapStyle ColorScale::style() const {
    gl::HeatmapStyle style;
    style.map = map;
    style.low = low;
    style.high = high > low ? high : low + 1;
    style.curve = curve;
    style.cut = cut;
    style.nan = nan;
    style.clipped = gl::clipped_color(map);
    style.anchor = style.low;
    if (gl::is_diverging(map))
        style.anchor = curve == gl::Curve::logarithm ? std::sqrt(style.low * style.high)
                                                     : (style.low + style.high) / 2;
    return style;
}

float ColorScale::place(float value) const {
    return std::clamp(gl::place_on(curve, value, low, high > low ? high : low + 1), 0.0F, 1.0F);
}

gl::Rgb ColorScale::color(float value) const { return gl::color_of(style(), value); }

std::string ColorScale::text(float value) const {
    if (unit == 1) return short_text(value);
    return short_text(static_cast<double>(value) / unit) + "×";
}

std::string ColorScale::low_text() const {
    return (curve == gl::Curve::logarithm ? "≤" : "") + text(low);
}

std::string ColorScale::high_text() const { return (cut ? ">" : "") + text(high); }

std::vector<float> tick_values(const ColorScale& scale) {
    const double low = static_cast<double>(scale.low) / scale.unit,
                 high = static_cast<double>(scale.high) / scale.unit;
    if (!(high > low) || !std::isfinite(high - low)) return {};
    std::vector<float> ticks;
    for (const double value : scale.curve == gl::Curve::linear
                                  ? even_steps(low, high)
                                  : powers(low, high, gl::is_diverging(scale.map)))
        if (const auto tick = static_cast<float>(value * scale.unit);
            tick > scale.low && tick < scale.high)
            ticks.push_back(tick);
    return ticks;
}

}  // namespace headlight::ui
