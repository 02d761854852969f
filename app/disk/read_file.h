#pragma once

#include <cstdint>
#include <string>

#include "files/file.h"

namespace headlight {

// From this size on a file is read piece by piece, when the pieces are wanted: of a checkpoint
// there is much that no picture needs.
inline constexpr std::uint64_t kLargeFileBytes = std::uint64_t{16} << 20U;
// In 32 bits no size that a file can claim is cut off.
inline constexpr std::uint64_t kMaxFileBytes =
    sizeof(void*) > 4 ? std::uint64_t{64} << 30U : (std::uint64_t{1} << 31U) - 1;

// The FileReader of this machine's disk. Throws with one sentence: FileMissing; std::runtime_error
// for a folder, a pipe or device, one that may not be read, or more than kMaxFileBytes; and here or
// in File::read where the file changed since it was opened, so that no half-written one is taken
// for a whole.
//
// Nothing is mapped: a program that writes into a mapped file changes what we have read, and one
// that cuts it off ends us with SIGBUS.
File read_file(const std::string& path);
// All of it.
std::string read_text(const std::string& path);

}  // namespace headlight
