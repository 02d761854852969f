#pragma once

#include "frame/export.h"
#include "frame/frame.h"

namespace headlight::screens {

// All heads of a model at once: what each of them reads of one token, as maps over the picture, in
// numbers, and through the layers.
void heads(Frame& frame, ui::Rect rect);
// The panel in which a figure of them is made.
void figure_panel(Frame& frame, const ui::Rect& window);
// The panel of what the model makes of every patch.
void features_panel(Frame& frame, const ui::Rect& window);
bool heads_take_key(Memory& memory, std::string_view key);
// Numbers by their names, whether or not this screen is drawn (frame/export.h).
void export_heads(Frame& frame);
Facts heads_facts(Memory& memory, const std::string& widget);

}  // namespace headlight::screens
