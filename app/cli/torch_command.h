#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "cli/source.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct TorchOptions : SourceOptions {
    // That is written out step by step, counted from 1 as in `trace --layers`; else the first.
    std::optional<int> layer;
    std::string out;  // SCRIPT.py
    bool module = false;  // the layer as a class alone, and no file beside it
};

// Writes SCRIPT.py, which computes with PyTorch what Headlight computes of this model and input,
// and SCRIPT.safetensors with what it needs beside the model's file. Throws UsageError where the
// options contradict each other or would write over a file that is read, another std::exception of
// one sentence where it cannot be done, Stopped. Warnings are what read_source says.
void run_torch(const TorchOptions& options, std::ostream& warnings, const StopFlag& stop);

}  // namespace headlight::cli
