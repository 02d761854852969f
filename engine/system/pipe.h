#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace headlight::system {

// Everything from a pipe until its other end closes. While waiting, calls `ask` about ten times a
// second, which may throw. Throws std::system_error if the pipe cannot be read.
std::vector<std::byte> read_pipe(const std::filesystem::path& path, void (*ask)());

}  // namespace headlight::system
