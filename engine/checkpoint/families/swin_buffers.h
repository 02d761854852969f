#pragma once

#include <string>

#include "attention/window.h"
#include "files/tensor_reader.h"

// Tensors of Swin that follow from others. They are compared with the expected values, to detect
// other code's tensors.
namespace headlight {

struct MapSize {
    int rows = 0, cols = 0;  // in tokens

    friend bool operator==(const MapSize&, const MapSize&) = default;
};

// Checks the index that gives, for each two tokens of a window, the row in the table of offsets,
// [n, n] or [n²] for n = size². Throws CheckpointError if it differs.
void expect_offsets(TensorReader& layer, const std::string& name, int size);

// The size of the map that this mask of shifted windows [windows, n, n] belongs to. Throws
// CheckpointError if there is none.
MapSize map_of_mask(TensorReader& layer, const std::string& name, const Window& window);

}  // namespace headlight
