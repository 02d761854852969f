#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "tokens/signal.h"
#include "tokens/token_file.h"
#include "tokens/vector_set.h"

namespace headlight {

// Tokens given instead of a picture; monostate: there is a picture.
using TokenSource = std::variant<std::monostate, VectorSet, Signal, TokenFile>;

inline bool gives_tokens(const TokenSource& source) { return source.index() != 0; }

// True if queries and keys/values are given separately.
bool gives_queries(const TokenSource& source);

// Numbers per token; with two kinds of tokens, per query. Requires a source that gives tokens.
int token_width(const TokenSource& source);

// As JSON on one line, which restores the same source to the last bit.
//   {"vectors": [[1.4, 0.35], [1.1, 0.92]]}, with words {"words": ["king", "queen"], "vectors": …}
//   {"signal": {"curve": "steps", "samples": 160, "window": 9, "noise": 0.3, "seed": 1}}, if drawn
//   {"signal": {"curve": "drawn", "drawn": [0.1, …], …}} without samples
//   {"file": {"name": "points.npy", "shape": [8, 80, 2], "as": "batch", "sample": 3}}; "as" is one
//   of kArrayWords, samples count from 1; "value" also has "query_shape"
std::string to_json(const TokenSource& source);

// `name` appears in errors only. Throws TokenError if the text is not JSON, has a value of another
// kind, or describes an invalid source.
TokenSource tokens_from_json(std::span<const std::byte> text, const std::string& name);

}  // namespace headlight
