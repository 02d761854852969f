#pragma once

#include "heads/view.h"

// What of the answer follows a part that is taken from the result kept as before, where that part
// is a token of the stream or what a layer gives; of heads it is shown by their maps.
namespace headlight::screens {

// The order is by patching, and there is a result to take parts from: which part is chosen above.
bool is_patching(const Frame& frame);
// They stand in the place of the maps.
bool shows_patched(const Frame& frame);

// Which part is taken.
void patched_choice(Frame& frame, ui::Rect row);
// A picture for every layer, each patch in the color of what it does; or bars for every layer.
void patched(Frame& frame, ui::Rect rect, const HeadsView& view);

}  // namespace headlight::screens
