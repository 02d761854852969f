#include "analysis/strongest.h"

#include <cmath>
#include <limits>

namespace headlight {

Strongest strongest_of(const std::vector<MatrixView>& maps) {
    const Index rows = maps.front().rows, cols = maps.front().cols;
    Strongest found{
        std::vector<int>(static_cast<std::size_t>(rows * cols), -1),
        Matrix::Constant(rows, cols, std::numeric_limits<float>::quiet_NaN()),
    };
    for (std::size_t m = 0; m < maps.size(); ++m)
        for (Index r = 0, i = 0; r < rows; ++r)
            for (Index c = 0; c < cols; ++c, ++i) {
                const float cell = maps[m](r, c);
                int& which = found.which[static_cast<std::size_t>(i)];
                if (std::isnan(cell) || (which >= 0 && cell <= found.value(r, c))) continue;
                which = static_cast<int>(m);
                found.value(r, c) = cell;
            }
    return found;
}

}  // namespace headlight
