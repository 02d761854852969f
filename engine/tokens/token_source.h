#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "tokens/signal.h"
#include "tokens/token_file.h"
#include "tokens/vector_set.h"

namespace headlight {

// Tokens that are given instead of a picture; monostate: there is a picture.
using TokenSource = std::variant<std::monostate, VectorSet, Signal, TokenFile>;

inline bool gives_tokens(const TokenSource& source) { return source.index() != 0; }

// Queries, and others that keys and values are made of.
bool gives_queries(const TokenSource& source);

// Numbers of one token, of two kinds of a query. Requires a source that gives some.
int token_width(const TokenSource& source);

// As JSON on one line; read back it is the same source to the last bit.
//   {"vectors": [[1.4, 0.35], [1.1, 0.92]]}, with words {"words": ["king", "queen"], "vectors": …}
//   {"signal": {"curve": "steps", "samples": 160, "window": 9, "noise": 0.3, "seed": 1}}, of a
//   drawn one {"signal": {"curve": "drawn", "drawn": [0.1, …], …}} without samples
//   {"file": {"name": "points.npy", "shape": [8, 80, 2], "as": "batch", "sample": 3}}; "as" is one
//   of kArrayWords, samples are counted from 1; as "value" there is "query_shape" beside it
std::string to_json(const TokenSource& source);

// `name` appears in errors only. Throws TokenError: not JSON, another kind of value, a source that
// is not valid.
TokenSource tokens_from_json(std::span<const std::byte> text, const std::string& name);

}  // namespace headlight
