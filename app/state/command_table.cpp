#include "state/command_table.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "program/values.h"

namespace headlight {

namespace {

struct Arguments {
    std::size_t least = 0, most = 0;
};

Arguments arguments_of(std::string_view usage) {
    Arguments count;
    while (!usage.empty()) {
        const std::size_t end = std::min(usage.find(' '), usage.size());
        const std::string_view word = usage.substr(0, end);
        usage.remove_prefix(std::min(end + 1, usage.size()));
        ++count.most;
        if (!word.starts_with('[')) ++count.least;
        if (word.ends_with("...")) count.most = std::numeric_limits<std::size_t>::max();
    }
    return count;
}

}  // namespace

void expect_arguments(const CommandInfo& info, const Command& command) {
    const Arguments takes = arguments_of(info.usage);
    const std::size_t given = command.args.size();
    if (given >= takes.least && given <= takes.most) return;
    refuse_value(info.name, info.usage.empty() ? "no arguments" : std::string(info.usage),
                 to_text(command));
}

void CommandTable::take_out(const void* who) {
    std::erase_if(rows_, [who](const Row& row) { return row.who == who; });
}

// A new player may register before the last one is destroyed, so the newest row counts.
const CommandTable::Row* CommandTable::find(std::string_view name) const {
    const auto found = std::find_if(rows_.rbegin(), rows_.rend(),
                                    [&](const Row& row) { return row.name == name; });
    return found == rows_.rend() ? nullptr : &*found;
}

bool CommandTable::obey(const Command& command) const {
    const Row* row = find(command.verb);
    if (row == nullptr) throw CommandError("There is no command " + in_quotes(command.verb) + ".");
    return row->obey(command);
}

}  // namespace headlight
