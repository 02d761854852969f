#pragma once

#include <filesystem>

namespace headlight::system {

// The file of the running program; empty where the system does not say.
std::filesystem::path program_file();

}  // namespace headlight::system
