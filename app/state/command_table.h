#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/names.h"
#include "state/command.h"

// One table of all commands, one row each. The workspace, the window, the lessons, the script
// player and the screenshot runner register the commands that they execute. The rows drive lookup,
// error messages, undo and the printed help.
namespace headlight {

// How undo treats a command. Consecutive `gesture` commands with the same first argument are one
// undo step; consecutive `stroke` commands are one step with any argument. `itself` marks undo and
// redo.
enum class Undo { none, each, walk, gesture, stroke, itself };

struct CommandInfo {
    constexpr CommandInfo(std::string_view its_name, std::string_view its_usage,
                          std::string_view its_words, Undo its_undo = Undo::none)
        : name(its_name), usage(its_usage), words(its_words), undo(its_undo) {}

    std::string_view name;
    // The arguments, separated by spaces: "FIELD VALUE", "N|next|previous". One in brackets is
    // optional; the last one, followed by dots, may be repeated.
    std::string_view usage;
    std::string_view words;  // what it does, in one sentence
    Undo undo;
};

// Throws CommandError if the number of arguments is wrong.
void expect_arguments(const CommandInfo& info, const Command& command);

// Which part of the program executes a command. `hands` (pointer and keys) and `pictures` are for
// scripts only.
enum class CommandOf { hands, pictures, window, lessons, workspace };

using CommandArgs = std::vector<std::string>;

// A command with the function that executes it. `run` throws CommandError before it changes
// anything. If it returns a bool, false means failure, and a notice gives the reason.
template <class Who, class Result = void>
struct CommandRow : CommandInfo {
    Required<Result (*)(Who&, const CommandArgs&)> run;
};

class CommandTable {
  public:
    struct Row {
        std::string_view name;
        const CommandInfo* info;  // points into a table that outlives this one
        CommandOf of;
        const void* who;
        std::function<bool(const Command&)> obey;  // as CommandRow::run
    };

    // Registers the rows that `who` executes, until take_out(who). Each is executed by how(row,
    // command).
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

    // Null if there is no command of that name.
    [[nodiscard]] const Row* find(std::string_view name) const;
    // Throws CommandError, also for an unknown name or wrong arguments.
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
