#pragma once

#include "state/state.h"
#include "ui/theme.h"

namespace headlight::screens {

// The scale of the interface.
struct Scales {
    float unit = 1;      // pixels
    float text = 1;      // text size relative to the units
    float sentence = 1;  // additional factor for running text

    friend bool operator==(const Scales&, const Scales&) = default;
};

// Scales for a window of this size in pixels on a monitor of this scale. Small windows are allowed,
// but zooming in stops before the matrices of the stage run out of space. In lecture view, text
// scales with the window's height, independent of the monitor's scale, and zooming enlarges it
// further.
Scales scales_for(const Look& look, float monitor, float width, float height);

const ui::Palette& palette_for(const Look& look);

}  // namespace headlight::screens
