#pragma once

#include <stdexcept>

#include "attention/layer.h"

namespace headlight {

// A recipe that cannot be computed. The message is one sentence: what is wrong and what to do.
class RecipeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Bytes that the trace of a layer takes: O(N·(D + C) + H·N·M). Runs beyond the limit are refused
// before any allocation. If `squares` is false, only the attention is stored, without products and
// scores.
double trace_bytes(const AttentionShape& shape, Index dim, bool squares = true);
// In a browser, all memory of the page is limited to 4 GB.
inline constexpr double kMaxTraceBytes = (sizeof(void*) > 4 ? 6.0 : 2.0) * 1024 * 1024 * 1024;

// Throws RecipeError if `bytes` exceeds the limit: "`what` would need 7.5 GB; the limit is 6.0 GB.
// Choose `remedy`."
void refuse_beyond_memory(double bytes, const char* what, const char* remedy);
inline constexpr const char* kFewerTokens = "a smaller image, larger patches or a larger stride";

}  // namespace headlight
