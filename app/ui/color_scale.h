#pragma once

#include <string>
#include <vector>

#include "gl/heatmap.h"

namespace headlight::ui {

// How values map to colors: the color map, the values at its two ends, and the curve between them.
struct ColorScale {
    gl::ColorMap map = gl::ColorMap::blue_white_red;
    float low = -1, high = 1;
    gl::Curve curve = gl::Curve::linear;
    bool cut = false;                      // values above `high` have a color of their own
    gl::Rgb nan = gl::HeatmapStyle{}.nan;  // for NaN
    float unit = 1;  // labels beside the colors are multiples of it if it is not 1: "10×"

    [[nodiscard]] gl::HeatmapStyle style() const;
    [[nodiscard]] gl::Rgb color(float value) const;  // the same as the shader's
    [[nodiscard]] float place(float value) const;    // on the map, 0..1, as in the shader
    [[nodiscard]] std::string text(float value) const;
    [[nodiscard]] std::string low_text() const;   // "≤ …" if all smaller values look the same
    [[nodiscard]] std::string high_text() const;  // "> …" if larger values are clipped

    friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

// Round numbers between the two ends, most useful first; more than usually fit.
std::vector<float> tick_values(const ColorScale& scale);

}  // namespace headlight::ui
