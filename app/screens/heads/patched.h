#pragma once

#include "heads/view.h"

// Activation patching of tokens of the residual stream or of layers' outputs: how the answer
// changes if they come from the baseline. For heads, their maps show it.
namespace headlight::screens {

// Whether maps are ordered by patching and there is a baseline; the patched part is chosen above.
bool is_patching(const Frame& frame);
// Whether they replace the maps.
bool shows_patched(const Frame& frame);

// Chooses the patched part.
void patched_choice(Frame& frame, ui::Layout row);
// A picture for every layer with each patch colored by its effect, or bars for every layer.
void patched(Frame& frame, ui::Rect rect, const HeadsView& view);

}  // namespace headlight::screens
