#pragma once

#include <filesystem>
#include <string>

namespace headlight::app {

struct ShotOptions {
    std::filesystem::path script, out;
    std::filesystem::path session;  // initial; empty: a first start, whatever is saved
};

// The help for scripts: their own commands, the window's, the workspace's, and the fields that can
// be set.
std::string script_help();

// Plays a script in a hidden window. In a browser it returns before the script has ended. Throws
// WindowError, std::runtime_error.
void run_shot(const ShotOptions& options);

}  // namespace headlight::app
