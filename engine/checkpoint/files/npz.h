#pragma once

#include <string>

#include "files/file.h"
#include "files/stored_tensor.h"
#include "files/zip.h"
#include "kernels/stop.h"

namespace headlight {

// The arrays of a NumPy archive (numpy.savez, numpy.savez_compressed), by name without ".npy".
// Stored arrays refer to the archive; compressed ones have memory of their own. All checksums are
// verified. Throws CheckpointError as described in zip.h and npy.h, and if no member is an array;
// Stopped.
StoredTensors read_npz(const std::vector<ZipMember>& members, const std::string& name,
                       const StopFlag& stop = {});

}  // namespace headlight
