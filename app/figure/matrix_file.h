#pragma once

#include <string>
#include <string_view>

#include "figure/svg.h"
#include "ui/address.h"
#include "ui/drawn.h"

// Matrices of a recorded frame, as numbers that others can read.
namespace headlight::figure {

// A widget's matrix, or the one over its picture; null: it shows none.
const ui::DrawnMatrix* matrix_named(const ui::Recording& recording, std::string_view widget);
// The one that is seen there; null: there is none.
const ui::DrawnMatrix* matrix_at(const ui::Recording& recording, ImVec2 point);
// Its cell at that point, or the nearest.
struct CellPlace {
    int row = 0, col = 0;
};
CellPlace cell_at(const ui::DrawnMatrix& matrix, ImVec2 point);
// One row, column or cell of it: which one, or ui::Address::kAll. They must be there.
ui::Cells part_of(ui::Cells cells, int row, int col);

// A line for each row; each number in as few digits as give it back exactly, "nan" and "-inf" as
// Python and R read them.
std::string text_of(const ui::Cells& cells, char between);
// A NumPy file, float32 [rows, cols].
std::string npy_of(const ui::Cells& cells);
// A safetensors file of one tensor, F32 [rows, cols], with what made it in its metadata. Throws
// CheckpointError where it cannot be written.
void write_safetensors(const std::string& path, const std::string& tensor, const ui::Cells& cells,
                       const Provenance& facts);

}  // namespace headlight::figure
