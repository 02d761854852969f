#pragma once

#include <CLI/CLI.hpp>

// The man page and shell completions, generated from the same registry as --help.
namespace headlight::cli {

// `headlight man`: a page in roff with all commands and their options, and what scripts can say.
// `headlight completion SHELL`: a script that the shell reads to complete commands, options, their
// choices and names of files.
void add_shell_commands(CLI::App& app);

}  // namespace headlight::cli
