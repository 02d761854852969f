#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace headlight::system {

// All that comes out of a pipe until its other end closes. `ask` is called about ten times a second
// while nothing comes, and may throw. Throws std::system_error where the pipe cannot be read.
std::vector<std::byte> read_pipe(const std::filesystem::path& path, void (*ask)());

}  // namespace headlight::system
