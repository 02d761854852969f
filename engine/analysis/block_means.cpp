#include "analysis/block_means.h"

#include <algorithm>

namespace headlight {

Matrix block_means(const MatrixView& cells, Index rows_each, Index cols_each) {
    Matrix means(ceil_div(cells.rows, rows_each), ceil_div(cells.cols, cols_each));
    for (Index r = 0; r < means.rows(); ++r)
        for (Index c = 0; c < means.cols(); ++c) {
            const Index row = r * rows_each, col = c * cols_each;
            const auto block = cells.eigen().block(row, col, std::min(rows_each, cells.rows - row),
                                                   std::min(cols_each, cells.cols - col));
            means(r, c) = static_cast<float>(block.cast<double>().mean());
        }
    return means;
}

}  // namespace headlight
