#pragma once

#include "state/state.h"
#include "ui/theme.h"

namespace headlight::screens {

// How large the interface is drawn.
struct Scales {
    float unit = 1;      // pixels
    float text = 1;      // times as large as the units would make it
    float sentence = 1;  // and running text as many times larger again

    friend bool operator==(const Scales&, const Scales&) = default;
};

// In a window of so many pixels on a monitor of that scale. A small window is its owner's choice,
// but zooming in does not go so far that the stage has no room for its matrices. In lecture view
// the type follows the window's height, whatever the monitor's scale is, and zooming in makes it
// larger still.
Scales scales_for(const Look& look, float monitor, float width, float height);

const ui::Palette& palette_for(const Look& look);

}  // namespace headlight::screens
