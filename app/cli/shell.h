#pragma once

#include <CLI/CLI.hpp>
#include <string>

// What a shell and `man` are told of the commands: made of the same registry as --help.
namespace headlight::cli {

// A page in roff: all commands and their options, and what scripts can say.
std::string man_page(const CLI::App& app);

enum class Shell { bash, zsh, fish };
// A script that the shell reads to complete commands, options, their choices and names of files.
std::string completion(const CLI::App& app, Shell shell);

// `headlight man` and `headlight completion SHELL`, which print these.
void add_shell_commands(CLI::App& app);

}  // namespace headlight::cli
