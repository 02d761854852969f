#pragma once

#include <filesystem>
#include <string>

namespace headlight::platform {

struct ShotOptions {
    std::filesystem::path script, out;
    std::filesystem::path session;  // to begin with; empty: a first start, whatever the person has
};

// All that a script can say, for people: its own commands, the window's and the workspace's, and
// the fields that can be set.
std::string script_help();

// Plays a script in a window that is not shown. Throws WindowError, std::runtime_error.
void run_shot(const ShotOptions& options);

}  // namespace headlight::platform
