#pragma once

#include <string>

#include "trace/same_place.h"

// --query: a token as options name it.
namespace headlight::cli {

// Throws UsageError where the layout has no such token.
Index token_of(const std::string& word, const TokenLayout& layout);

// What was said, or what is usual: class, or the middle patch where there is no class token.
std::string query_or_usual(const std::string& said, const TokenPlaces& places);

}  // namespace headlight::cli
