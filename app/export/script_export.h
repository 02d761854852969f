#pragma once

#include <filesystem>

#include "state/workspace.h"

namespace headlight::app {

// `export FILE.py`: the current walk as a PyTorch script, and a data file beside it. If Walk shows
// gradients, the script compares them too. Throws CommandError while the walk is being computed,
// and what script_gradients, python_script and write_script throw.
void save_script(const std::filesystem::path& path, const Workspace& work);

}  // namespace headlight::app
