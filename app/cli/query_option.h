#pragma once

#include <string>

#include "trace/same_place.h"

// --query: a token by its name or number.
namespace headlight::cli {

// Throws UsageError if the layout has no such token.
Index token_of(const std::string& word, const TokenLayout& layout);

// The given query, or the default: class, or the middle patch if there is no class token.
std::string query_or_usual(const std::string& said, const TokenPlaces& places);

}  // namespace headlight::cli
