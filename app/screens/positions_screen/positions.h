#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Draws the Positions screen: the table added to the tokens, as a matrix and over the picture,
// compared with another kind of table, and measurements of its claimed properties.
void positions(Frame& frame, ui::Layout rect);
// Exports the curves by name, on any screen (frame/export.h).
void export_positions(Frame& frame);
bool positions_take_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
