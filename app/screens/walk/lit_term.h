#pragma once

#include <vector>

#include "trace/tensors.h"

// The term of a sum whose bar is hovered, and where its two factors are in the operands.
namespace headlight::screens {

struct LitFactor {
    Tensor tensor{};
    int head = 0;
    Index row = 0, col = 0;

    friend bool operator==(const LitFactor&, const LitFactor&) = default;
};
struct LitTerm {
    std::vector<LitFactor> factors;  // from the last frame; empty: no bar is hovered
};

}  // namespace headlight::screens
