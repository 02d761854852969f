#include "frame/attention_scale.h"

#include <algorithm>
#include <cmath>

namespace headlight::screens {

namespace {

constexpr double kFaint = 0.02;  // the part of the cells that may lie below a logarithm's end
constexpr float kAsGoodAsNothing = 0.01F;  // times even
constexpr float kDecade = 10, kLeastReach = 2, kMostBelow = 100;

}  // namespace

gl::ColorMap map_named(const std::string& name, gl::ColorMap otherwise) {
    for (int i = 0; i < gl::kColorMapCount; ++i)
        if (gl::name(static_cast<gl::ColorMap>(i)) == name) return static_cast<gl::ColorMap>(i);
    return otherwise;
}

ui::ColorScale attention_scale(const Look& look, const Magnitudes& sizes, Index keys,
                               Index most_keys) {
    ui::ColorScale scale{map_named(look.attention_map, gl::ColorMap::magma), 0, 1};
    if (sizes.empty()) return scale;
    const float even = 1.0F / static_cast<float>(keys);
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
        case AttentionScale::even: {
            const float least = 1.0F / static_cast<float>(std::max(keys, most_keys));
            const float reach =
                std::max({scale.high / least, std::min(least / faint, kMostBelow), kLeastReach});
            scale.map = map_named(look.signed_map, gl::ColorMap::blue_white_red);
            scale.curve = gl::Curve::logarithm;
            scale.low = even / reach;
            scale.high = even * reach;
            scale.unit = even;
            break;
        }
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
