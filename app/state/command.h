#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/values.h"

namespace headlight {

using CommandError = ValueError;  // a message of one sentence

// Every change goes through a command: menus, keys, the mouse, scripts and tests all send them. As
// text, a command is the verb and its arguments, separated by spaces. Double quotes keep spaces
// together; a backslash escapes a quote or a backslash inside them. "#" at the start of a word
// starts a comment. `headlight shot --help` prints all commands; command_table.h has their tables.
struct Command {
    std::string verb;
    std::vector<std::string> args;

    friend bool operator==(const Command&, const Command&) = default;
};

// Throws CommandError for an unclosed quote. An empty line or a comment gives an empty verb.
Command parse_command(std::string_view line);
std::string to_text(const Command& command);

template <class... Args>
Command command(std::string verb, Args&&... args) {
    return {std::move(verb), {std::string(std::forward<Args>(args))...}};
}

}  // namespace headlight
