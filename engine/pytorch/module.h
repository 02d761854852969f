#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

// The layer of a walk as one PyTorch module: a class with __init__ and forward.
namespace headlight {

// A line of the class, without its newline, and the step that it computes.
struct ListingLine {
    std::string text;
    std::optional<Step> step{};
};

// The class alone, without imports. Its forward takes X and returns Y, [B, N, D]; whatever else it
// needs (a mask that was given, rotary tables) is a further argument. Weights have the names of
// timm where those exist: norm1, qkv, proj, norm2, fc1, fc2. Empty for attention maps, of which
// nothing is computed, and for cross-attention.
std::vector<ListingLine> module_listing(const Trace& trace);

// The same as a file that Python can import.
std::string module_file(const std::vector<ListingLine>& listing);

}  // namespace headlight
