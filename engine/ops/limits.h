#pragma once

#include <stdexcept>

#include "attention/layer.h"

namespace headlight {

// A recipe that cannot be computed: one sentence, what is wrong and what to do.
class RecipeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Bytes that the trace of a layer keeps: O(N·(D + C) + H·N·M). Runs beyond the limit are refused
// before anything is allocated. `squares` false: of products, scores and attention the last alone.
double trace_bytes(const AttentionShape& shape, Index dim, bool squares = true);
// A page's memory has 4 GB, for all that it holds.
inline constexpr double kMaxTraceBytes = (sizeof(void*) > 4 ? 6.0 : 2.0) * 1024 * 1024 * 1024;

// Throws RecipeError: "`what` would need 7.5 GB; the limit is 6.0 GB. Choose `remedy`."
void refuse_beyond_memory(double bytes, const char* what, const char* remedy);
inline constexpr const char* kFewerTokens = "a smaller image, larger patches or a larger stride";

}  // namespace headlight
