#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "cli/source.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct TraceOptions : SourceOptions {
    std::string layers = "all";
    std::string rollout;      // JSON, or empty: what the rollout is
    std::string gradient_of;  // a class's index, or "pooled"; empty: no gradients are written
    std::string out;
};

// Who hears of the work, and can end it.
struct TraceAudience {
    std::ostream& warnings;
    std::function<void(const std::string&)> progress;  // what has just been done; may be empty
    StopFlag stop;
};

// Computes a model or a single attention layer and writes every step of it. Throws UsageError where
// the options contradict each other or would write over a file that is read, another std::exception
// of one sentence where the work cannot be done, Stopped. Numbers that are none are no failure, but
// one line of warnings.
void run_trace(const TraceOptions& options, const TraceAudience& audience);

}  // namespace headlight::cli
