#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/file.h"
#include "files/new_file.h"

namespace headlight::cli {

// A whole file; unlike in the window also a pipe or a device: `--input <(...)`. Throws
// std::runtime_error: one sentence with the system's reason.
File read_file(const std::string& path);

// A NumPy file that lacks its numbers as yet; type as in npy_header. Throws as NewFile does.
std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape);

}  // namespace headlight::cli
