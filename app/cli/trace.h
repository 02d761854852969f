#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/source.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct TraceOptions : SourceOptions {
    std::string layers = "all";
    std::string rollout;      // JSON settings of the rollout, or empty
    std::string gradient_of;  // a class, "pooled", "cosine:IMAGE"; empty: writes no gradients
    std::string out;
};

// Receives progress and warnings, and can stop the work.
struct TraceAudience {
    std::ostream& warnings;
    std::function<void(const std::string&)> progress;  // what has just been done; may be empty
    StopFlag stop;
};

// Computes a model or a single attention layer and writes every step. Throws UsageError if the
// options are contradictory or an input file would be overwritten, another std::exception with one
// sentence if the work fails, and Stopped. NaN and infinite results are no error, but print one
// warning.
void run_trace(const TraceOptions& options, const TraceAudience& audience);

}  // namespace headlight::cli
