#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/number_table.h"
#include "ui/pictures.h"

// Exact numbers for copying or export, which a drawing does not contain.
namespace headlight::screens {

// Provenance: a name and a value each.
using Facts = std::vector<std::pair<std::string, std::string>>;

// An export of numbers by name: as a table with row and column names, or as a matrix.
struct Export {
    // The name requested for the next frame; "": what is under the pointer.
    std::optional<std::string> wanted;
    // The answer of the screen that knows the name. If neither is set, there is nothing, or
    // `refusal` says why.
    std::optional<NumberTable> table;
    std::optional<Matrix> matrix;
    std::string refusal;
    bool computing = false;  // still being computed: ask again in the next frame
    bool undrawn = false;    // the same for what is drawn of it
    // Whole matrices in this frame of which only a part is drawn, by the address of that part.
    std::map<const float*, ui::Cells> whole;
    // For matrices whose cells are means of blocks, by the same key: the visible cells of the
    // whole.
    std::map<const float*, gl::CellWindow> windows;
    // By widget name: the label of a matrix row, "token 50"; "" for none.
    std::map<std::string, std::function<std::string(int row)>> rows;
    // The focused cell, used if the pointer is over no matrix.
    struct Cell {
        std::string widget;
        int row = 0, col = 0;
    };
    std::optional<Cell> cell;

    void ask(std::string name) {
        *this = {};
        wanted = std::move(name);
    }
};

}  // namespace headlight::screens
