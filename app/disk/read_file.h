#pragma once

#include <cstdint>
#include <string>

#include "checkpoint/files.h"

namespace headlight {

// From this size on a file is mapped instead of copied, so a checkpoint takes no memory twice.
inline constexpr std::uintmax_t kMappedFileBytes = std::uintmax_t{16} << 20U;
inline constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 30U;

// The FileReader of this machine's disk. Throws with one sentence: FileMissing; std::runtime_error
// for a folder, a pipe or device, one that may not be read, or more than kMaxFileBytes.
//
// A mapped file is as it is on the disk at any moment. Programs that replace it (a download, our
// own write_safetensors) write another file and move it, which leaves a mapping whole; one that
// writes into the file changes what we read, and one that cuts it off ends us with SIGBUS. Images
// and settings are small and copied, so this holds for checkpoints only.
FileBytes read_file(const std::string& path);

}  // namespace headlight
