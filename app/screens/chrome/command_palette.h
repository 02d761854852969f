#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "frame/frame.h"
#include "state/palette.h"

namespace headlight::screens {

// What the palette remembers while it is open.
struct CommandPalette {
    std::vector<PaletteEntry> entries;  // of the present step: all, or the values of `asked`
    std::vector<std::size_t> found;     // those that match `query`
    std::string query;
    std::optional<PaletteEntry> asked;  // a field or command that still needs its value
    std::array<char, 512> typed{};
    int marked = 0;      // among the rows, which begin with what is typed, where that is a value
    bool moved = false;  // the marked row has to be scrolled into sight
    int last_frame = -2;
    static constexpr int kFramesToType = 3;
    int wants_typing = 0;  // frames left in which the text field comes to have the keyboard
};

// Finds any command, field, lesson or example by name and runs it, over the screen in `window`.
// Call only while it is open.
void command_palette(Frame& frame, const ui::Rect& window);

}  // namespace headlight::screens
