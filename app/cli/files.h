#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/file.h"
#include "files/new_file.h"
#include "kernels/matrix.h"

namespace headlight::cli {

// Reads a whole file. Unlike the window's reader it accepts a pipe or a device: `--input <(...)`.
// Throws std::runtime_error with the system's reason.
File read_file(const std::string& path);

// Creates a NumPy file and writes its header; the numbers follow. type: as in npy_header. Throws as
// NewFile does.
std::unique_ptr<NewFile> begin_npy(const std::string& path, const std::string& type,
                                   const std::vector<std::int64_t>& shape);

// A map as text: one line for each row, numbers separated by commas. Numbers have the fewest digits
// that reproduce them exactly. The window exports a matrix as the same text.
std::string map_text(const MatrixView& cells);

}  // namespace headlight::cli
