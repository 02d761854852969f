#pragma once

#include <iosfwd>
#include <string>

#include "cli/source.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct TorchOptions : SourceOptions {
    int layer = 0;    // that is written out step by step; counted as `trace` names them
    std::string out;  // SCRIPT.py
};

// Writes SCRIPT.py, which computes with PyTorch what Headlight computes of this model and input,
// and SCRIPT.safetensors with what it needs beside the model's file. Throws UsageError where the
// options contradict each other or would write over a file that is read, another std::exception of
// one sentence where it cannot be done, Stopped. Warnings are what read_source says.
void run_torch(const TorchOptions& options, std::ostream& warnings, const StopFlag& stop);

}  // namespace headlight::cli
