#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frame/frame.h"
#include "state/palette.h"

namespace headlight::screens {

// State of the open command palette.
struct CommandPalette {
    std::vector<PaletteEntry> entries;  // of the current step: all, or the values for `asked`
    std::vector<std::size_t> found;     // those that match `query`, as indices
    std::string query;
    std::optional<PaletteEntry> asked;  // a field or command that still needs a value
    std::array<char, 512> typed{};
    int marked = 0;      // among the rows; a typed value is the first row
    bool moved = false;  // scroll to the marked row
    int last_frame = -2;
    static constexpr int kFramesToType = 3;
    int wants_typing = 0;  // frames left until the text field takes the keyboard
};

// Finds a command, field, lesson or example by name and runs it; drawn over the screen in `window`.
// Call only while it is open.
void command_palette(Frame& frame, const ui::Rect& window);

}  // namespace headlight::screens
