#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "state/command.h"
#include "state/command_table.h"
#include "state/screens.h"

// The command palette without its window: its entries, and which of them match typed letters.
namespace headlight {

struct PaletteEntry {
    enum class Kind { command, field, lesson, example };
    Kind kind = Kind::command;
    std::string name;     // as in scripts: "temperature", "step next"; for a file: its name
    std::string title;    // on screen: "Temperature"
    std::string words;    // what it does, in one sentence; "" if the title says it
    std::string key;      // its key on this screen; "" if it has none
    Command command{};    // the command to run; for a field, `set` without the value
    std::string usage{};  // of the missing arguments; "" if it can run without more
};

// All commands of the table except those for scripts only, each with its key. A key that the screen
// uses for something else is left out.
std::vector<PaletteEntry> palette_commands(const CommandTable& table, ScreenId screen);
std::vector<PaletteEntry> palette_fields();

// Indices of the matching entries, best first; all of them in their order for an empty query. Every
// word of the query must match: as a word, as the start of one, inside one, with a typing error or,
// in titles and names, as letters in this order.
std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries,
                                         std::string_view query);

// The possible values of the first argument if the usage lists them: "next" and "previous" for
// "N|next|previous", all fields for "FIELD".
std::vector<std::string> palette_arguments(std::string_view usage);
// Whether a command with that usage runs without arguments.
bool all_optional(std::string_view usage);

}  // namespace headlight
