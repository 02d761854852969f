#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "patches/token_layout.h"

// Tokens as options and command lines name them: "class", "distillation", "register0" and so on. A
// bare number counts patches from 0; "token44" counts all tokens, as token_name() does.
namespace headlight {

// The caller keeps token in [0, layout.count()).
std::string token_word(const TokenLayout& layout, Index token);
// The same with "token44" for a patch, as the screens call it.
std::string token_word_on_screens(const TokenLayout& layout, Index token);
// Nothing where the word is none, or the layout has no such token.
std::optional<Index> token_of_word(const TokenLayout& layout, std::string_view word);
// "class,43,57" taken apart; empty pieces stay.
std::vector<std::string> words_of_list(std::string_view list);

}  // namespace headlight
