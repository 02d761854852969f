#include "views/scales.h"

#include <algorithm>
#include <cmath>

namespace headlight::views {

namespace {

// That the interface and, with its large type, the lecture view need, in units.
constexpr float kLeastWidth = 960, kLeastHeight = 560, kLectureHeight = 600;
constexpr float kLectureText = 2;

// Another scale needs other fonts: so not with every pixel that a window grows.
float in_tenths(float scale) { return std::floor(scale * 10) / 10; }

}  // namespace

Scales scales_for(const Look& look, float monitor, float width, float height) {
    Scales scales;
    const float held = std::min(width / kLeastWidth, height / kLeastHeight);
    scales.unit = std::min(monitor * look.zoom, std::max(monitor, in_tenths(held)));
    if (!look.lecture) return scales;
    const float room = std::min(width / kLeastWidth, height / kLectureHeight) / scales.unit;
    scales.text = std::max(1.0F, std::min(kLectureText, in_tenths(kLectureText * room)));
    return scales;
}

}  // namespace headlight::views
