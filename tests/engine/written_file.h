#pragma once

#include <string>
#include <vector>

#include "files/safetensors.h"

namespace headlight {

// Writes all tensors at once.
inline void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors) {
    std::size_t room = 0;
    for (const TensorToWrite& tensor : tensors)
        room += SafetensorsWriter::room_for(tensor.name, tensor.shape.size());
    SafetensorsWriter writer(path, room);
    for (const TensorToWrite& tensor : tensors) writer.write(tensor);
    writer.finish();
}

}  // namespace headlight
