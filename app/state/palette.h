#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "state/command.h"
#include "state/command_table.h"
#include "state/screens.h"

// The command palette without its window: what it lists, and which entries a few typed letters
// mean.
namespace headlight {

struct PaletteEntry {
    enum class Kind { command, field, lesson, example };
    Kind kind = Kind::command;
    std::string name;     // as scripts write it: "temperature", "step next"; of a file: its name
    std::string title;    // on screen: "Temperature"
    std::string words;    // what it does, in one sentence; "" where the title says it
    std::string key;      // on this screen; "" where it has none
    Command command{};    // what it runs; of a field, `set` without the value
    std::string usage{};  // of the arguments that are still to be given; "" where it can be run
};

// All commands of the table but those that only scripts give, and each key's command with it. Where
// a screen takes a key for something else, the key is not listed.
std::vector<PaletteEntry> palette_commands(const CommandTable& table, ScreenId screen);
std::vector<PaletteEntry> palette_fields();

// Indices of those that match, the best first; all of them, in their order, for an empty query.
// Each word of the query must be found in an entry: as a word, as its beginning, inside one, with a
// typing error, or, in titles and names, as letters in this order.
std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries,
                                         std::string_view query);

// The values that the first argument can have, where the usage lists them: "next" and "previous" of
// "N|next|previous", all fields of "FIELD".
std::vector<std::string> palette_arguments(std::string_view usage);
// Whether a command with that usage runs without arguments.
bool all_optional(std::string_view usage);

}  // namespace headlight
