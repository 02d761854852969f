#pragma once

#include <filesystem>

#include "state/workspace.h"

namespace headlight::platform {

// `export FILE.py`: the current walk as a PyTorch script, and a data file beside it. Throws
// CommandError while the walk is being computed, and what python_script and write_script throw.
void save_script(const std::filesystem::path& path, const Workspace& work);

}  // namespace headlight::platform
