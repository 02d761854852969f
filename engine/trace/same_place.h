#pragma once

#include <string>

#include "patches/patches.h"
#include "patches/token_layout.h"
#include "trace/trace.h"

namespace headlight {

// How tokens map to places in a picture.
struct TokenPlaces {
    TokenLayout layout;
    PatchGrid grid;
    friend bool operator==(const TokenPlaces&, const TokenPlaces&) = default;
};
TokenPlaces places_of(const Trace& trace);

// For people: "token 15 · row 2, column 5". Only the name (token_name) if the token has no place in
// a picture.
std::string token_and_place(const Trace& trace, Index token);
// The same for a patch, counted from 0.
std::string patch_and_place(const Trace& trace, Index patch);

// The token of `to` that corresponds to `token` of `from`: the patch nearest to the same place in
// the picture, or the class token for a class token. If `to` has no token of that kind, the patch
// in the middle. Tokens that were given instead of a picture keep their numbers.
int token_at_same_place(const TokenPlaces& from, const TokenPlaces& to, int token);

}  // namespace headlight
