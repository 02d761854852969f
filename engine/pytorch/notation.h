#pragma once

#include <string>

#include "trace/trace.h"

// Steps in two other notations: torch.einsum for products, einops.rearrange for a change of shape.
namespace headlight {

struct Notation {
    std::string usual;        // what the node's line computes: "q @ k.transpose(-2, -1)"
    std::string other;        // the same: "torch.einsum("bhqd,bhkd->bhqk", q, k)"
    bool rearranges = false;  // with einops, which changes no number
    bool several = false;     // both are sequences of tensors

    [[nodiscard]] bool exists() const { return !other.empty(); }
};

// Does not exist for steps that have no such notation.
Notation notation_of(const Trace& trace, const Node& node);

}  // namespace headlight
