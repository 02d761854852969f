#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "kernels/stop.h"

namespace headlight::cli {

struct GetOptions {
    std::string name;                // ORG/NAME or ORG/NAME@REVISION
    std::vector<std::string> files;  // paths in the repository; empty: the model and its configs
};

// Where a download prints its output.
struct GetOutput {
    std::ostream& out;                                 // the folder, on one line
    std::function<void(const std::string&)> say;       // a line that stays: a description
    std::function<void(const std::string&)> progress;  // a line that the next one overwrites
};

// Downloads a model from the Hub to the shared cache, and prints its folder. Describes the model
// before the download; a model that Headlight does not support is refused then, unless `files` is
// given. Files in the cache are not downloaded again. Throws UsageError for an invalid name or
// path; hub::HubError; DiskError; CheckpointError for a refused model; Stopped.
void run_get(const GetOptions& options, const GetOutput& output, const StopFlag& stop);

// Prints the recommended models, one per line.
void list_models(std::ostream& out);

}  // namespace headlight::cli
