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

// Where a download says what it does.
struct GetOutput {
    std::ostream& out;                                 // the folder, one line
    std::function<void(const std::string&)> say;       // a line that stays: what it is
    std::function<void(const std::string&)> progress;  // a line that the next one replaces
};

// Fetches a model of the Hub into the cache that programs share, and prints the folder that it is
// in. Before the download it says what the model is; one that Headlight does not read is refused
// then, unless `files` asks for it. What is in the cache already is not fetched again. Throws
// UsageError: a name or path that is none; hub::HubError; DiskError; CheckpointError for a model
// that is refused; Stopped.
void run_get(const GetOptions& options, const GetOutput& output, const StopFlag& stop);

// The models that are good to begin with, one a line.
void list_models(std::ostream& out);

}  // namespace headlight::cli
