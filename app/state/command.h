#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/values.h"

namespace headlight {

using CommandError = ValueError;  // one sentence

// The one way to change anything: what menus, keys, the mouse, scripts and tests say.
// As text: the verb and its arguments, separated by blanks; double quotes keep blanks together,
// a backslash keeps a quote or backslash inside them. "#" at the start of a word starts a comment.
// Which there are stands in the tables of those who obey (command_table.h); `headlight shot --help`
// prints them.
struct Command {
    std::string verb;
    std::vector<std::string> args;

    friend bool operator==(const Command&, const Command&) = default;
};

// Throws CommandError: an open quote. An empty line or comment gives an empty verb.
Command parse_command(std::string_view line);
std::string to_text(const Command& command);

template <class... Args>
Command command(std::string verb, Args&&... args) {
    return {std::move(verb), {std::string(std::forward<Args>(args))...}};
}

}  // namespace headlight
