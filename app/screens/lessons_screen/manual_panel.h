#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// Draws the program's list of keys and mouse actions from the top of a rectangle; returns where it
// ends.
using KeysPage = float(Frame& frame, ui::Layout rest);

// The manual over the screen, at that screen's page: contents, search and text.
void manual_panel(Frame& frame, const ui::Rect& window, KeysPage& keys);
// Ctrl+C, Ctrl+A and Escape, for its text.
bool manual_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
