#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

// The layer of a walk as a PyTorch module: a class with __init__ and forward.
namespace headlight {

// A line of the class, without newline, and the step that it computes.
struct ListingLine {
    std::string text;
    std::optional<Step> step{};
};

// The class without imports. Its forward takes X and returns Y, [B, N, D]; other inputs (a given
// mask, rotary tables) are further arguments. Weights have timm's names where those exist: norm1,
// qkv, proj, norm2, fc1, fc2. Empty for attention maps, which are not computed, and for
// cross-attention.
std::vector<ListingLine> module_listing(const Trace& trace);

// The listing as a file that Python can import.
std::string module_file(const std::vector<ListingLine>& listing);

}  // namespace headlight
