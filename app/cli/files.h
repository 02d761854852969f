#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace headlight::cli {

// A whole file. Throws WorkError: one sentence with the system's reason.
std::vector<std::byte> read_file(const std::string& path);

}  // namespace headlight::cli
