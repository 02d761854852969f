#include <algorithm>
#include <cmath>

#include "gl/heatmap.h"

// The same as shaders/heatmap.frag, for use without a GPU.
namespace headlight::gl {

namespace {

double place(const HeatmapStyle& style, float value) {
    return place_on(style.curve, value, style.low, style.high);
}

}  // namespace

Rgb color_of(const HeatmapStyle& style, float value) {
    if (std::isnan(value)) return style.nan;
    if (std::isinf(value)) return value > 0 ? style.infinite_high : style.infinite_low;
    if (style.cut && value > style.high) return style.clipped;
    return sample(style.map, static_cast<float>(std::clamp(place(style, value), 0.0, 1.0)));
}

float farthest(const HeatmapStyle& style, std::span<const float> cells) {
    if (const auto nan = std::ranges::find_if(cells, [](float v) { return std::isnan(v); });
        nan != cells.end())
        return *nan;
    const auto [least, most] = std::ranges::minmax(cells);
    if (std::isinf(most) && most > 0) return most;
    if (std::isinf(least)) return least;
    double above = static_cast<double>(most) - style.anchor,
           below = static_cast<double>(style.anchor) - least;
    if (style.curve != Curve::linear) {
        above = place(style, most) - place(style, style.anchor);
        below = place(style, style.anchor) - place(style, least);
    }
    return above >= below ? most : least;
}

}  // namespace headlight::gl
