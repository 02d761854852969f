#pragma once

#include "kernels/matrix.h"

namespace headlight {

// Where tokens stand in the picture: so many before the patches, then the patches row by row.
struct TokenGrid {
    Index prefix = 0;
    int rows = 0, cols = 0;  // of the patches' grid; 0: nothing says that they lie in one

    [[nodiscard]] bool are_known() const { return rows > 0 && cols > 0; }
    [[nodiscard]] Index count() const { return prefix + Index{rows} * cols; }
    [[nodiscard]] bool is_patch(Index token) const { return token >= prefix; }
    // Of a patch's token, where they are known.
    [[nodiscard]] Index row(Index token) const { return (token - prefix) / cols; }
    [[nodiscard]] Index col(Index token) const { return (token - prefix) % cols; }
};

}  // namespace headlight
