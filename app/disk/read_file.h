#pragma once

#include <cstdint>
#include <string>

#include "files/file.h"

namespace headlight {

// Files of at least this size are read piece by piece on demand: a picture needs only part of a
// checkpoint.
inline constexpr std::uint64_t kLargeFileBytes = std::uint64_t{16} << 20U;
// Largest file to read. On 32-bit systems, small enough that no size is ever truncated.
inline constexpr std::uint64_t kMaxFileBytes =
    sizeof(void*) > 4 ? std::uint64_t{64} << 30U : (std::uint64_t{1} << 31U) - 1;

// The FileReader for this machine's disk. Throws one sentence: FileMissing; std::runtime_error for
// a
// folder, a pipe or device, a file without permission, or one larger than kMaxFileBytes. Also
// throws,
// here or in File::read, if the file has changed since it was opened, so that a half-written file
// is
// never used.
//
// Files are not memory-mapped: another program could change mapped data that we have already
// checked,
// and truncating the file would end us with SIGBUS.
File read_file(const std::string& path);
// The whole file.
std::string read_text(const std::string& path);

}  // namespace headlight
