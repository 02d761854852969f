#pragma once

#include <array>
#include <cstring>
#include <string>

#include "kernels/matrix.h"

namespace headlight::testing {

// Row by row as NumPy writes float32, with `more` added to each number.
inline std::string bytes_of(const MatrixView& matrix, float more = 0) {
    std::string bytes;
    for (Index row = 0; row < matrix.rows; ++row)
        for (Index col = 0; col < matrix.cols; ++col) {
            const float number = matrix(row, col) + more;
            std::array<char, sizeof number> raw{};
            std::memcpy(raw.data(), &number, raw.size());
            bytes.append(raw.data(), raw.size());
        }
    return bytes;
}

}  // namespace headlight::testing
