#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "state/command.h"

// Commands are registered in tables, one row each, by whoever obeys them: the workspace, the
// window, the player of scripts. What is looked up, refused and printed as help is read from the
// rows.
namespace headlight {

struct CommandInfo {
    std::string_view name;
    // Its arguments with blanks between them: "FIELD VALUE", "N|next|previous". One in brackets may
    // be left out; the last, with dots after it, may be many.
    std::string_view usage;
    std::string_view words;  // what it does: one sentence
};

// Throws CommandError: more arguments than it takes, or fewer.
void expect_arguments(const CommandInfo& info, const Command& command);

// The row of a table whose rows are CommandInfo and more; null: there is none of that name. Throws
// CommandError where it does not take so many arguments.
template <class Row>
const Row* find_row(const std::vector<Row>& table, const Command& command) {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Row& row) { return row.name == command.verb; });
    if (found == table.end()) return nullptr;
    expect_arguments(*found, command);
    return &*found;
}

template <class Row>
std::vector<CommandInfo> infos_of(const std::vector<Row>& table) {
    return {table.begin(), table.end()};
}

}  // namespace headlight
