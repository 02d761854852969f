#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/number_table.h"
#include "ui/pictures.h"

// What leaves the program of a screen, and is not to be read off its drawing.
namespace headlight::screens {

// What made something, a name and a value each.
using Facts = std::vector<std::pair<std::string, std::string>>;

// Numbers by a name: with names of their rows and columns, or as the matrix that they are.
struct Leaving {
    // Asked for of the frame that is drawn next; "": what lies under the pointer.
    std::optional<std::string> wanted;
    // The screen's answer; neither: it has nothing of that name, or says why.
    std::optional<NumberTable> table;
    std::optional<Matrix> matrix;
    std::string refusal;
    bool computing = false;  // it is on its way: to be asked for again of the next frame
    bool undrawn = false;    // so is what is drawn of it
    // Of matrices of which a part alone is shown, by where that begins: the whole, in that frame.
    std::map<const float*, ui::Cells> whole;
    // Of those whose cells are means of several, by the same key: the cells of the whole in sight.
    std::map<const float*, gl::CellWindow> windows;
    // Of matrices, by their widgets' names: what a row stands for, "patch 49"; "" for nothing.
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
