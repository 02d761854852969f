#pragma once

#include <string>

#include "patches/patches.h"
#include "patches/token_layout.h"
#include "trace/trace.h"

namespace headlight {

// What stands behind the numbers of tokens.
struct TokenPlaces {
    TokenLayout layout;
    PatchGrid grid;
    friend bool operator==(const TokenPlaces&, const TokenPlaces&) = default;
};
TokenPlaces places_of(const Trace& trace);

// For people: "token 15 · row 2, column 5". Only the name (token_name) where the token has no place
// in a picture.
std::string token_and_place(const Trace& trace, Index token);
// The same of the token of a patch, which counts from 0.
std::string patch_and_place(const Trace& trace, Index patch);

// The token of `to` that stands for what `token` of `from` does: a patch where that one lies in the
// picture, a class token for a class token. Without the like of it, the patch in the middle. Tokens
// that were given instead of a picture keep their numbers.
int token_at_same_place(const TokenPlaces& from, const TokenPlaces& to, int token);

}  // namespace headlight
