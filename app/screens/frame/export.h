#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/number_table.h"
#include "ui/pictures.h"

// Numbers that are copied or written to a file, and cannot be read off a drawing.
namespace headlight::screens {

// What made something, a name and a value each.
using Facts = std::vector<std::pair<std::string, std::string>>;

// Numbers by a name: with names of their rows and columns, or as the matrix that they are.
struct Export {
    // Asked for in the next frame; "": what lies under the pointer.
    std::optional<std::string> wanted;
    // The answer of the screen that knows the name; neither: there is nothing of it, or it says
    // why.
    std::optional<NumberTable> table;
    std::optional<Matrix> matrix;
    std::string refusal;
    bool computing = false;  // it is on its way: to be asked for again of the next frame
    bool undrawn = false;    // so is what is drawn of it
    // Of matrices of which a part alone is shown, by where that begins: the whole, in that frame.
    std::map<const float*, ui::Cells> whole;
    // Of those whose cells are means of several, by the same key: the cells of the whole in sight.
    std::map<const float*, gl::CellWindow> windows;
    // Of matrices, by their widgets' names: what a row stands for, "token 50"; "" for nothing.
    std::map<std::string, std::function<std::string(int row)>> rows;
    // The cell in focus, where the pointer is over no matrix.
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
