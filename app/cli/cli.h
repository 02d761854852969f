#pragma once

#include <CLI/CLI.hpp>
#include <optional>

// The same engine without a window: `headlight trace` and `headlight info`.
namespace headlight::cli {

// Adds the subcommands to the program's own options.
void add_commands(CLI::App& app);

// Parses the arguments and does what a subcommand among them says. Gives the exit status where the
// program is over with that: 0 done (also --help), 1 the work failed, 2 wrong usage; a failure is
// one line on standard error. Nothing: no subcommand was named, so the window is to open.
std::optional<int> run(CLI::App& app, int argc, const char* const* argv);

}  // namespace headlight::cli
