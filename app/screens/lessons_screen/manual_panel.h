#pragma once

#include <string_view>

#include "frame/frame.h"

namespace headlight::screens {

// Keys and mouse, as the program has them: drawn from the top of a place as long as it needs to
// be. Gives where it ends.
using KeysPage = float(Frame& frame, ui::Rect rest);

// The manual over the screen, at the page of that screen: contents, search and text.
void manual_panel(Frame& frame, const ui::Rect& window, KeysPage& keys);
// Ctrl+C, Ctrl+A and Escape, of text in it.
bool manual_takes_key(Memory& memory, std::string_view key);

}  // namespace headlight::screens
