#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/file.h"
#include "files/stored_tensor.h"

namespace headlight {

// Reads the array of a NumPy file, versions 1 to 3 (numpy.lib.format, "Format Version 1.0"): a
// magic word, a Python dict as text, then the numbers. The numbers are not copied; they share the
// file's owner. NumPy has no bfloat16 and saves it as two raw bytes, '|V2'. Throws CheckpointError
// for a truncated file, another version, a header that NumPy does not write, Python objects,
// structures, texts, big-endian or complex numbers, and a shape that does not match the number of
// bytes.
StoredTensor read_npy(const FileBytes& file, const std::string& name);

// The header of such a file, version 1; `type` in NumPy's notation: "|u1", "<i2". It has at least
// `least` bytes, so that it can replace a longer one.
std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape,
                       std::size_t least = 0);

// True if the bytes start like such a file.
bool looks_like_npy(std::span<const std::byte> bytes);

}  // namespace headlight
