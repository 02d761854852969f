#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patches/token_layout.h"

// Names of tokens in options and on the command line: "class", "distillation", "register0" and so
// on. A bare number counts patches from 0; "token44" counts all tokens, as token_name() does.
namespace headlight {

// `token` must be in [0, layout.count()).
std::string token_word(const TokenLayout& layout, Index token);
// The same with "token44" for a patch, as on screen.
std::string token_word_on_screens(const TokenLayout& layout, Index token);
// Nothing if the word is invalid, or if the layout has no such token.
std::optional<Index> token_of_word(const TokenLayout& layout, std::string_view word);
// "class,43,57" split at the commas; empty pieces stay.
std::vector<std::string> words_of_list(std::string_view list);

}  // namespace headlight
