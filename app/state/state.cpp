#include "state/state.h"

#include <algorithm>

namespace headlight {

bool same_choices(const State& a, const State& b) {
    return a.recipe == b.recipe && a.pinned == b.pinned && a.selection == b.selection &&
           a.look == b.look;
}

Selection first_selection(int tokens_across, int tokens_down) {
    const int across = std::max(tokens_across, 1), down = std::max(tokens_down, 1);
    const int row = down / 2, col = across / 2;
    // A neighbour up and to the right, where there is one: close, but not the token itself, whose
    // own cell on the diagonal would be a special case to learn from.
    const int key_row = std::max(row - 1, 0), key_col = std::min(col + 1, across - 1);
    Selection selection;
    selection.token = row * across + col;
    selection.col = key_row * across + key_col;
    selection.col_axis = Axis::key_token;
    return selection;
}

}  // namespace headlight
