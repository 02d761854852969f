#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/file.h"
#include "files/new_file.h"

namespace headlight::cli {

// Reads a whole file. Unlike the window's reader it accepts a pipe or a device: `--input <(...)`.
// Throws std::runtime_error with the system's reason.
File read_file(const std::string& path);

// Creates a NumPy file and writes its header; the numbers follow. type: as in npy_header. Throws as
// NewFile does.
std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape);

}  // namespace headlight::cli
