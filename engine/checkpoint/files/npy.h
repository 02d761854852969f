#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "files/stored_tensor.h"

namespace headlight {

// The array of one NumPy file, versions 1 to 3 (numpy.lib.format, "Format Version 1.0"): a magic
// word, a Python dict as text, then the numbers. They stay where they are and share the file's
// owner. numpy has no bfloat16 and saves it as two raw bytes, '|V2'.
// Throws CheckpointError: truncated, another version, a header that is not what numpy writes,
// Python objects, structures, texts, big-endian or complex numbers, a shape that does not fit the
// bytes.
StoredTensor read_npy(const FileBytes& file, const std::string& name);

// What stands before the numbers of such a file, version 1; `type` as NumPy names it: "|u1", "<i2".
std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape);

// Whether the bytes start as such a file does.
bool looks_like_npy(std::span<const std::byte> bytes);

}  // namespace headlight
