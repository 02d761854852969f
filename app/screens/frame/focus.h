#pragma once

#include <optional>

#include "trace/steps.h"

namespace headlight::screens {

// Where the attention of the person is: hovered, else pinned. All views light up the same token.
struct Focus {
    std::optional<int> token;      // row: the query
    std::optional<int> key_token;  // column of an attention matrix
    std::optional<int> row;        // hovered, where it is no token's of this layer (token_rows.h)
    std::optional<int> col;        // column of the present result's cell
    int head = 0;
    bool hovered = false;  // false: pinned

    friend bool operator==(const Focus&, const Focus&) = default;
};

}  // namespace headlight::screens
