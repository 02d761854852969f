#include "frame/scales.h"

#include <algorithm>
#include <cmath>

namespace headlight::screens {

namespace {

constexpr float kLeastWidth = 960, kLeastHeight = 560;  // units that the interface needs

// For the last row no letter is lower, from ascender to descender, than this part of the window. Of
// Inter, the lowest of the faces, the two are this much of the em; and its smallest size in units.
constexpr float kLetter = 1.0F / 30, kLetterInEm = 1.21F, kSmallestEm = 12;
constexpr float kNarrowest = 4.0F / 3;  // a narrower window counts as one that is less high

// Another scale needs other fonts: so not with every pixel that a window grows.
float in_tenths(float scale) { return std::floor(scale * 10) / 10; }

// Whole pixels of the smallest em, as fonts have it.
float lecture_text(float unit, float width, float height) {
    const float letter = std::min(height, width / kNarrowest) * kLetter;
    return std::max(1.0F, std::ceil(letter / kLetterInEm) / (kSmallestEm * unit));
}

}  // namespace

Scales scales_for(const Look& look, float monitor, float width, float height) {
    Scales scales;
    const float held = std::min(width / kLeastWidth, height / kLeastHeight);
    scales.unit = std::min(monitor * look.zoom, std::max(monitor, in_tenths(held)));
    if (look.lecture) scales.text = lecture_text(scales.unit, width, height);
    return scales;
}

const ui::Palette& palette_for(const Look& look) {
    if (look.lecture)
        return look.lecture_theme == Theme::light ? ui::light_projector_palette()
                                                  : ui::dark_projector_palette();
    return look.theme == Theme::light ? ui::light_palette() : ui::dark_palette();
}

}  // namespace headlight::screens
