#pragma once

#include <string>

#include "files/file.h"

namespace headlight::cli {

// A whole file; unlike in the window also a pipe or a device: `--input <(...)`. Throws
// std::runtime_error: one sentence with the system's reason.
File read_file(const std::string& path);

}  // namespace headlight::cli
