#pragma once

#include "frame/export.h"
#include "frame/frame.h"

namespace headlight::screens {

// Draws the Heads screen: what every head of the model attends to from one token, as maps over the
// picture, as numbers, and across the layers.
void heads(Frame& frame, ui::Layout rect);
// The panel that makes a figure of the maps.
void figure_panel(Frame& frame, const ui::Rect& window);
// The panel with the features of every patch.
void features_panel(Frame& frame, const ui::Rect& window);
bool heads_take_key(Memory& memory, std::string_view key);
// Exports numbers by name, on any screen (frame/export.h).
void export_heads(Frame& frame);
Facts heads_facts(Memory& memory, const std::string& widget);

}  // namespace headlight::screens
