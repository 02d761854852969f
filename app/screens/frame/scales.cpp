#include "frame/scales.h"

#include <algorithm>
#include <cmath>

#include "lessons/pages.h"

namespace headlight::screens {

namespace {

constexpr float kLeastWidth = 960, kLeastHeight = 560;  // units that the interface needs

// In lecture view, the height of a letter from ascender to descender is at least this fraction of
// the window, to be legible from the last row. For Inter, the smallest face, that height is this
// many em; and its smallest size in units.
constexpr float kLetter = 1.0F / 30, kLetterInEm = 1.21F, kSmallestEm = 12;
// The em of sentences is at least this fraction.
constexpr float kSentence = 1.0F / 21, kSentenceEm = 14;
constexpr float kNarrowest = 4.0F / 3;  // a narrower window counts as a lower one

// A new scale needs new fonts, so it does not follow every pixel of a window's size.
float in_tenths(float scale) { return std::floor(scale * 10) / 10; }

// The smallest em is a whole number of pixels, as fonts require, and no smaller than in the window.
void set_lecture_type(Scales& scales, float zoom, float width, float height) {
    const float high = std::min(height, width / kNarrowest);
    const float labels = high * std::clamp(zoom, 1.0F, lessons::kMostLectureZoom);
    const float smallest = std::ceil(labels * kLetter / kLetterInEm);
    scales.text = std::max(1.0F, smallest / (kSmallestEm * scales.unit));
    const float sentence = std::ceil(high * lessons::sentence_zoom(zoom) * kSentence);
    scales.sentence = std::max(1.0F, sentence / (kSentenceEm * scales.unit * scales.text));
}

}  // namespace

Scales scales_for(const Look& look, float monitor, float width, float height) {
    Scales scales;
    const float held = std::min(width / kLeastWidth, height / kLeastHeight);
    scales.unit = std::min(monitor * look.zoom, std::max(monitor, in_tenths(held)));
    if (look.lecture) {
        // Other elements keep their size; only text grows.
        scales.unit = std::min(scales.unit, monitor);
        set_lecture_type(scales, look.zoom, width, height);
    }
    return scales;
}

const ui::Palette& palette_for(const Look& look) {
    if (look.lecture)
        return look.lecture_theme == Theme::light ? ui::light_projector_palette()
                                                  : ui::dark_projector_palette();
    return look.theme == Theme::light ? ui::light_palette() : ui::dark_palette();
}

}  // namespace headlight::screens
