#pragma once

#include <string>
#include <vector>

#include "gl/heatmap.h"

namespace headlight::ui {

// How values become colors: the map, what its two ends mean, and how it runs between them.
struct ColorScale {
    gl::ColorMap map = gl::ColorMap::blue_white_red;
    float low = -1, high = 1;
    gl::Curve curve = gl::Curve::linear;
    bool cut = false;                      // what is above high has a color of its own
    gl::Rgb nan = gl::HeatmapStyle{}.nan;  // what is no number
    float unit = 1;  // where not 1, numbers beside the colors are multiples of it: "10×"

    [[nodiscard]] gl::HeatmapStyle style() const;
    [[nodiscard]] gl::Rgb color(float value) const;  // as the shader colors it
    [[nodiscard]] float place(float value) const;    // on the map, 0..1, as the shader has it
    [[nodiscard]] std::string text(float value) const;
    [[nodiscard]] std::string low_text() const;  // "≤ …" where all that is smaller looks the same
    [[nodiscard]] std::string high_text() const;  // "> …" of what is cut

    friend bool operator==(const ColorScale&, const ColorScale&) = default;
};

// Round numbers between the two ends, those that say most first; more than anybody has room for.
std::vector<float> tick_values(const ColorScale& scale);

}  // namespace headlight::ui
