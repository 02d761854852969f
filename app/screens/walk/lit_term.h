#pragma once

#include <vector>

#include "trace/tensors.h"

// The term of the arithmetic whose bar is hovered: where its two factors stand in the operands.
namespace headlight::screens {

struct LitFactor {
    Tensor tensor{};
    int head = 0;
    Index row = 0, col = 0;

    friend bool operator==(const LitFactor&, const LitFactor&) = default;
};
struct LitTerm {
    std::vector<LitFactor> factors;  // as of the last frame; none: no bar is hovered
};

}  // namespace headlight::screens
