#pragma once

#include <string>

#include "cli/audience.h"
#include "cli/source.h"

namespace headlight::cli {

struct TraceOptions : SourceOptions {
    std::string layers = "all";
    std::string rollout;      // JSON settings of the rollout, or empty
    std::string gradient_of;  // a class, "pooled", "cosine:IMAGE"; empty: writes no gradients
    std::string out;
};

// Computes a model or a single attention layer and writes every step. Throws UsageError if the
// options are contradictory or an input file would be overwritten, another std::exception with one
// sentence if the work fails, and Stopped. NaN and infinite results are no error, but print one
// warning.
void run_trace(const TraceOptions& options, const Audience& audience);

}  // namespace headlight::cli
