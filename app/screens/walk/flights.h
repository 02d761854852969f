#pragma once

#include "walk/stages.h"

// Animates operands from one step to the next: they move from where they were drawn to where they
// are used, and transpose on the way if needed. During playback this is the first part of a step's
// animation, so it can be paused, scrubbed and slowed down; otherwise it takes a moment.
// Look::moving_operands and Look::motion switch it off.
namespace headlight::screens {

// Call before and after the stage is drawn in its column. If the column's size changes, earlier
// positions are invalid.
void begin_flights(Frame& frame, const ui::Rect& column);
void end_flights(Frame& frame);
// Call where a matrix is drawn: stores its place for later steps, and animates it from its earlier
// place.
void fly_in(Frame& frame, const ui::Rect& rect, const Matrix2D& matrix,
            const ui::HeatmapSpec& spec);

}  // namespace headlight::screens
