#include "frame/attention_scale.h"

#include <algorithm>
#include <cmath>

namespace headlight::screens {

namespace {

constexpr double kFaint = 0.02;  // fraction of cells below the start of a logarithmic scale
constexpr float kAsGoodAsNothing = 0.01F;  // in multiples of uniform attention
constexpr float kDecade = 10;
// In multiples of uniform attention: the end of the scale, and its minimum for a single map.
constexpr float kBrightest = 8, kLeastBrightest = 2;

}  // namespace

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise) {
    for (int i = 0; i < gl::kColorMapCount; ++i)
        if (gl::name(static_cast<gl::ColorMap>(i)) == name) return static_cast<gl::ColorMap>(i);
    return otherwise;
}

ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys) {
    ui::ColorScale scale{map_named(look.attention_map, gl::ColorMap::magma), 0, 1};
    if (sizes.empty()) return scale;
    const float even = 1.0F / static_cast<float>(std::max<Index>(keys, 1));
    const float faint = std::max(sizes.quantile(kFaint), kAsGoodAsNothing * even);
    scale.high = sizes.quantile(1 - look.attention_cut / 100);
    switch (look.attention_scale) {
        case AttentionScale::linear:
            break;
        case AttentionScale::square_root:
            scale.curve = gl::Curve::square_root;
            break;
        case AttentionScale::logarithm:
            scale.curve = gl::Curve::logarithm;
            scale.low = std::min(faint, scale.high / kDecade);
            break;
        case AttentionScale::even:
            // One end for all maps, so that a color means the same multiple everywhere.
            if (look.range == RangeMode::shared && look.attention_cut == 0)
                scale.high = kBrightest * even;
            scale.high = std::max(scale.high, kLeastBrightest * even);
            scale.curve = gl::Curve::square_root;
            scale.unit = even;
            break;
    }
    scale.cut = look.attention_cut > 0 && scale.high < sizes.most();
    return scale;
}

ui::ColorScale signed_scale(const Look& look, float low, float high) {
    const float largest = std::max(std::abs(low), std::abs(high));
    const float reach = largest > 0 && std::isfinite(largest) ? largest : 1.0F;
    return {map_named(look.signed_map, gl::ColorMap::blue_white_red), -reach, reach};
}

}  // namespace headlight::screens
