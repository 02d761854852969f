#pragma once

#include <optional>

#include "trace/steps.h"

namespace headlight::screens {

// What the user is looking at: hovered, or else pinned. All views highlight the same token.
struct Focus {
    std::optional<int> token;      // row: the query
    std::optional<int> key_token;  // column of an attention matrix
    std::optional<int> row;        // hovered row that is no token of this layer (token_rows.h)
    std::optional<int> col;        // column of the cell in the current result
    int head = 0;
    bool hovered = false;  // false: pinned

    friend bool operator==(const Focus&, const Focus&) = default;
};

}  // namespace headlight::screens
