#pragma once

#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "files/safetensors.h"
#include "kernels/matrix.h"
#include "tests/source_path.h"

// Reference numbers from the scripts in tests/golden.
namespace headlight::golden {

inline TensorMap read(const std::string& name) {
    const std::string path = source_path("tests/golden/") + name;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return read_safetensors(std::as_bytes(std::span(text)), path);
}

// All dimensions but the last as rows.
inline Matrix stacked(const NamedTensor& tensor) {
    const Index cols = tensor.shape.back();
    return Eigen::Map<const Matrix>(tensor.values.data(),
                                    static_cast<Index>(tensor.values.size()) / cols, cols);
}

}  // namespace headlight::golden
