#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "state/command.h"

// One table of all commands, one row each. The workspace, the window, the lessons, the script
// player and the screenshot runner register the commands that they carry out. What is looked up,
// refused, recorded for undo and printed as help is read from the rows.
namespace headlight {

// How undo treats a command: a `gesture` with the same first argument is one step, and so is a
// `stroke` with any. `itself` moves through the history.
enum class Undo { none, each, walk, gesture, stroke, itself };

struct CommandInfo {
    std::string_view name;
    // Its arguments with blanks between them: "FIELD VALUE", "N|next|previous". One in brackets may
    // be left out; the last, with dots after it, may be many.
    std::string_view usage;
    std::string_view words;  // what it does: one sentence
    Undo undo = Undo::none;
};

// Throws CommandError: more arguments than it takes, or fewer.
void expect_arguments(const CommandInfo& info, const Command& command);

// Who handles a command. `hands` (pointer and keys) and `pictures` are for scripts only.
enum class CommandOf { hands, pictures, window, lessons, workspace };

using CommandArgs = std::vector<std::string>;

// A command with the function that handles it. `run` throws CommandError before it changes a thing;
// where it returns a bool, false means that it failed and that a notice says why.
template <class Who, class Result = void>
struct CommandRow : CommandInfo {
    Result (*run)(Who&, const CommandArgs&);
};

class CommandTable {
  public:
    struct Row {
        std::string_view name;
        const CommandInfo* info;  // of a table that outlives this one
        CommandOf of;
        const void* who;
        std::function<bool(const Command&)> obey;  // as CommandRow::run
    };

    // Registers the rows that `who` handles until take_out(who): each by how(row, command).
    template <class Who, class Result, class How>
    void add(CommandOf of, const std::vector<CommandRow<Who, Result>>& rows, Who& who, How how) {
        for (const auto& row : rows)
            rows_.push_back({row.name, &row, of, &who, [&row, how](const Command& command) {
                                 expect_arguments(row, command);
                                 return how(row, command);
                             }});
    }
    template <class Who, class Result>
    void add(CommandOf of, const std::vector<CommandRow<Who, Result>>& rows, Who& who) {
        add(of, rows, who, [&who](const CommandRow<Who, Result>& row, const Command& command) {
            if constexpr (std::is_same_v<Result, bool>)
                return row.run(who, command.args);
            else
                return row.run(who, command.args), true;
        });
    }
    void take_out(const void* who);

    // Null: there is no command of that name.
    [[nodiscard]] const Row* find(std::string_view name) const;
    // Throws CommandError, also where there is none of that name or it takes other arguments.
    bool obey(const Command& command) const;
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  private:
    std::vector<Row> rows_;
};

template <class Row>
std::vector<CommandInfo> infos_of(const std::vector<Row>& table) {
    return {table.begin(), table.end()};
}

}  // namespace headlight
