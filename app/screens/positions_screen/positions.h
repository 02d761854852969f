#pragma once

#include "frame/frame.h"

namespace headlight::screens {

// Where a patch is, as the model is told it: the table that is added to the tokens, by itself and
// over the picture, against another kind of table, with what is claimed of such tables measured.
void positions(Frame& frame, ui::Rect rect);
// The curves by their names, whether or not this screen is drawn (frame/export.h).
void export_positions(Frame& frame);
bool positions_take_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
