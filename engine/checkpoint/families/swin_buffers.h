#pragma once

#include <string>

#include "attention/window.h"
#include "files/tensor_reader.h"

// Tensors of a Swin that follow from others: they are held against what they must be, so that no
// other code's pass for them.
namespace headlight {

struct MapSize {
    int rows = 0, cols = 0;  // of tokens

    friend bool operator==(const MapSize&, const MapSize&) = default;
};

// Where in the table of offsets each two tokens of a window find theirs, [n, n] or [n²] for
// n = size². Throws CheckpointError where it is another one.
void expect_offsets(TensorReader& layer, const std::string& name, int size);

// The map whose shifted windows this mask [windows, n, n] is for. Throws CheckpointError where it
// is for none.
MapSize map_of_mask(TensorReader& layer, const std::string& name, const Window& window);

}  // namespace headlight
