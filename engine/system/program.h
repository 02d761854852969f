#pragma once

#include <filesystem>

namespace headlight::system {

// The path of the running program; empty if the system does not tell.
std::filesystem::path program_file();

}  // namespace headlight::system
