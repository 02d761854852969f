#pragma once

#include <filesystem>

#include "state/workspace.h"

namespace headlight::platform {

// `export FILE.py`: the walk that is shown as a script for PyTorch, and beside it what it needs.
// Throws CommandError while the walk is being computed; what python_script and write_script throw.
void save_script(const std::filesystem::path& path, const Workspace& work);

}  // namespace headlight::platform
