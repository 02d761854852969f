#pragma once

#include "state/state.h"

namespace headlight::screens {

// How large the interface is drawn.
struct Scales {
    float unit = 1;  // pixels
    float text = 1;  // times as large as the units would make it

    friend bool operator==(const Scales&, const Scales&) = default;
};

// In a window of so many pixels on a monitor of that scale. A small window is its owner's choice,
// but neither zooming in nor large type goes so far that the stage has no room for its matrices.
Scales scales_for(const Look& look, float monitor, float width, float height);

}  // namespace headlight::screens
