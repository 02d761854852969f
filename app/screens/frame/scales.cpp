#include "frame/scales.h"

#include <algorithm>
#include <cmath>

namespace headlight::screens {

namespace {

// In units. What the interface needs; from where on the type of a lecture grows, and where it has
// grown to twice its size: on a low screen type that is a little smaller is still the larger part
// of it, and the matrices get their room.
constexpr float kLeastWidth = 960, kLeastHeight = 560;
constexpr float kGrowsFromWidth = 720, kGrowsFromHeight = 480;
constexpr float kGrownAtWidth = 960, kGrownAtHeight = 780;

// Another scale needs other fonts: so not with every pixel that a window grows.
float in_tenths(float scale) { return std::floor(scale * 10) / 10; }

// 0..1 as `size` goes from one to the other.
float share(float size, float from, float to) {
    return std::clamp((size - from) / (to - from), 0.0F, 1.0F);
}

}  // namespace

Scales scales_for(const Look& look, float monitor, float width, float height) {
    Scales scales;
    const float held = std::min(width / kLeastWidth, height / kLeastHeight);
    scales.unit = std::min(monitor * look.zoom, std::max(monitor, in_tenths(held)));
    if (look.lecture)
        scales.text =
            in_tenths(1 + std::min(share(width / scales.unit, kGrowsFromWidth, kGrownAtWidth),
                                   share(height / scales.unit, kGrowsFromHeight, kGrownAtHeight)));
    return scales;
}

}  // namespace headlight::screens
