#pragma once

#include "kernels/matrix.h"

namespace headlight {

// Places of tokens in the picture: `prefix` tokens before the patches, then the patches row by row.
struct TokenGrid {
    Index prefix = 0;
    int rows = 0, cols = 0;  // of the patches' grid; 0: there is no known grid

    [[nodiscard]] bool are_known() const { return rows > 0 && cols > 0; }
    [[nodiscard]] Index count() const { return prefix + Index{rows} * cols; }
    [[nodiscard]] bool is_patch(Index token) const { return token >= prefix; }
    // For the token of a patch, if the grid is known.
    [[nodiscard]] Index row(Index token) const { return (token - prefix) / cols; }
    [[nodiscard]] Index col(Index token) const { return (token - prefix) % cols; }
};

}  // namespace headlight
