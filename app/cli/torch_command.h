#pragma once

#include <optional>
#include <string>

#include "cli/audience.h"
#include "cli/source.h"

namespace headlight::cli {

struct TorchOptions : SourceOptions {
    // The layer to write step by step, from 1 as in `trace --layers`; empty: the first.
    std::optional<int> layer;
    std::string out;          // SCRIPT.py
    bool module = false;      // only the layer as a class, without a data file
    std::string gradient_of;  // as for `trace`; empty: no gradients
};

// Writes SCRIPT.py, which computes in PyTorch what Headlight computes for this model and input, and
// SCRIPT.safetensors with the data it needs besides the model's file. Throws UsageError if the
// options are contradictory or an input file would be overwritten, another std::exception with one
// sentence if the work fails, and Stopped. Prints the warnings of read_source.
void run_torch(const TorchOptions& options, const Audience& audience);

}  // namespace headlight::cli
