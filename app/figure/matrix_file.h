#pragma once

#include <string>
#include <string_view>

#include "figure/svg.h"
#include "ui/address.h"
#include "ui/drawn.h"

// Writes matrices of a recorded frame as numbers for other programs.
namespace headlight::figure {

// The widget's matrix, or the one over its picture; null if it shows none.
const ui::DrawnMatrix* matrix_named(const ui::Recording& recording, std::string_view widget);
// The visible matrix at the point; null if there is none.
const ui::DrawnMatrix* matrix_at(const ui::Recording& recording, ImVec2 point);
// Its cell at that point, or the nearest one.
struct CellPlace {
    int row = 0, col = 0;
};
CellPlace cell_at(const ui::DrawnMatrix& matrix, ImVec2 point);
// One row, column or cell: indices in range, or ui::Address::kAll.
ui::Cells part_of(ui::Cells cells, int row, int col);

// One line per row. Numbers have the fewest digits that reproduce them exactly; "nan" and "-inf" as
// Python and R read them.
std::string text_of(const ui::Cells& cells, char between);
// A NumPy file, float32 [rows, cols].
std::string npy_of(const ui::Cells& cells);
// A safetensors file with one tensor, F32 [rows, cols], and its provenance as metadata. Throws
// CheckpointError if it cannot be written.
void write_safetensors(const std::string& path, const std::string& tensor, const ui::Cells& cells,
                       const Provenance& facts);

}  // namespace headlight::figure
