#pragma once

#include <cstddef>
#include <vector>

#include "gl/heatmap.h"

namespace headlight::gl {

// A matrix to be drawn, row by row.
struct Matrix {
    int rows, cols;
    std::vector<float> cells;

    Matrix(int row_count, int col_count, float fill = 0.0F)
        : rows(row_count),
          cols(col_count),
          cells(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(col_count), fill) {}
    float& at(int row, int col) { return cells[index(row, col)]; }
    [[nodiscard]] float at(int row, int col) const { return cells[index(row, col)]; }
    [[nodiscard]] CellWindow whole() const {
        return {0, 0, static_cast<float>(rows), static_cast<float>(cols)};
    }

  private:
    [[nodiscard]] std::size_t index(int row, int col) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
               static_cast<std::size_t>(col);
    }
};

}  // namespace headlight::gl
