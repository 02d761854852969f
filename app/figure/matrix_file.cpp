#include "figure/matrix_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include "files/npy.h"
#include "files/safetensors.h"

namespace headlight::figure {

const ui::DrawnMatrix* matrix_named(const ui::Recording& recording, std::string_view widget) {
    const std::string over = std::string(widget) + ".overlay";
    for (const ui::Recording::Item& item : recording.items())
        if (const auto* matrix = std::get_if<ui::DrawnMatrix>(&item.what))
            if (matrix->picture.name == widget || matrix->picture.name == over) return matrix;
    return nullptr;
}

const ui::DrawnMatrix* matrix_at(const ui::Recording& recording, ImVec2 point) {
    const ui::DrawnMatrix* found = nullptr;  // the last one is on top
    for (const ui::Recording::Item& item : recording.items())
        if (const auto* matrix = std::get_if<ui::DrawnMatrix>(&item.what))
            if (matrix->rect.contains(point) && item.clip.contains(point)) found = matrix;
    return found;
}

CellPlace cell_at(const ui::DrawnMatrix& matrix, ImVec2 point) {
    const gl::CellWindow& window = matrix.picture.window;
    const auto within = [](float at, int count) {
        return std::clamp(static_cast<int>(std::floor(at)), 0, count - 1);
    };
    const auto& [rect, cells] = std::tie(matrix.rect, matrix.picture.cells);
    return {within(window.row + (point.y - rect.y) / rect.h * window.rows, cells.rows),
            within(window.col + (point.x - rect.x) / rect.w * window.cols, cells.cols)};
}

ui::Cells part_of(ui::Cells cells, int row, int col) {
    if (row != ui::Address::kAll) {
        cells.data += static_cast<std::ptrdiff_t>(row) * cells.stride;
        cells.rows = 1;
    }
    if (col != ui::Address::kAll) {
        cells.data += col;
        cells.cols = 1;
    }
    return cells;
}

std::string text_of(const ui::Cells& cells, char between) {
    std::string text;
    for (int r = 0; r < cells.rows; ++r)
        for (int c = 0; c < cells.cols; ++c)
            fmt::format_to(std::back_inserter(text), "{}{}", cells.at(r, c),
                           c + 1 < cells.cols ? between : '\n');
    return text;
}

std::string npy_of(const ui::Cells& cells) {
    std::string file = npy_header("<f4", {cells.rows, cells.cols});
    for (int r = 0; r < cells.rows; ++r) {
        const float* row = cells.data + static_cast<std::ptrdiff_t>(r) * cells.stride;
        file.append(reinterpret_cast<const char*>(row),
                    static_cast<std::size_t>(cells.cols) * sizeof(float));
    }
    return file;
}

void write_safetensors(const std::string& path, const std::string& tensor, const ui::Cells& cells,
                       const Provenance& facts) {
    std::map<std::string, std::string> metadata;
    for (const Fact& fact : facts) metadata[fact.name] = fact.value;
    SafetensorsWriter file(path, SafetensorsWriter::room_for(tensor, 2), metadata);
    file.write({tensor,
                {cells.rows, cells.cols},
                {MatrixView(cells.data, cells.rows, cells.cols, cells.stride)}});
    file.finish();
}

}  // namespace headlight::figure
