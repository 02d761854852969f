#pragma once

#include <filesystem>

namespace headlight::platform {

struct ShotOptions {
    std::filesystem::path script, out;
    std::filesystem::path session;  // to begin with; empty: a first start, whatever the person has
};

// Plays a script in a window that is not shown. Throws WindowError, ScriptError.
void run_shot(const ShotOptions& options);

}  // namespace headlight::platform
