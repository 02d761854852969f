#pragma once

#include "walk/stages.h"

// From one step to the next, operands move from where they were drawn to where they are used; one
// that is used transposed turns over on the way. While the walk plays this is the first part of a
// step's motion, so it can be paused, scrubbed and slowed with it; else it takes a moment.
// Look::moving_operands and Look::motion switch it off.
namespace headlight::screens {

// Before the stage is drawn in its column, and after. In a column of another size nothing lies
// where it was.
void begin_flights(Frame& frame, const ui::Rect& column);
void end_flights(Frame& frame);
// A matrix was drawn here: remembered for later steps, and brought from where it was before.
void fly_in(Frame& frame, const ui::Rect& rect, const Matrix2D& matrix,
            const ui::HeatmapSpec& spec);

}  // namespace headlight::screens
