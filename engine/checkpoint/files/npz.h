#pragma once

#include <string>

#include "files/file.h"
#include "files/stored_tensor.h"
#include "files/zip.h"
#include "kernels/stop.h"

namespace headlight {

// The arrays of a numpy archive (numpy.savez, numpy.savez_compressed) by their names without
// ".npy". Arrays that are stored lie in the archive, those that are deflated in memory of their
// own. All checksums are held against the bytes. Throws CheckpointError as zip.h and npy.h say, and
// where no member is an array; Stopped.
StoredTensors read_npz(const std::vector<ZipMember>& members, const std::string& name,
                       const StopFlag& stop = {});

}  // namespace headlight
