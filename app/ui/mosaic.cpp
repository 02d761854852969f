#include "ui/mosaic.h"

#include <memory>
#include <vector>

namespace headlight::ui {

namespace {

// Where a cell's value stands on the scale, 0..1, is how bright its hue is, from black; beyond a
// cut it is half white.
ImU32 hue_at(ImU32 hue, float value, const ColorScale& scale) {
    if (scale.cut && value > scale.high) return mix(hue, IM_COL32_WHITE, 0.5F);
    return mix(IM_COL32_BLACK, hue, scale.place(value));
}

}  // namespace

PhotoPicture mosaic(int rows, int cols, std::span<const int> which, std::span<const float> values,
                    std::span<const ImU32> hues, const ColorScale& scale) {
    const auto pixels = std::make_shared<std::vector<float>>();
    pixels->reserve(which.size() * 3);
    const ImU32 none = IM_COL32(scale.nan.r, scale.nan.g, scale.nan.b, 255);
    for (std::size_t i = 0; i < which.size(); ++i) {
        const auto hue = static_cast<std::size_t>(which[i]);
        const ImU32 color = which[i] < 0 ? none : hue_at(hues[hue % hues.size()], values[i], scale);
        for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT})
            pixels->push_back(static_cast<float>(color >> shift & 255U) / 255);
    }
    return {{pixels, pixels->data()}, rows, cols, 3, false, true};
}

ColorScale brightness_of(ColorScale scale) {
    scale.map = gl::ColorMap::grey;
    return scale;
}

}  // namespace headlight::ui
