#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/source.h"
#include "kernels/stop.h"

namespace headlight::cli {

struct CurvesOptions {
    SourceOptions source;             // without its image
    std::vector<std::string> images;  // files and folders
    std::string methods = "relevance,last_attention,random";
    std::optional<int> of_class;  // index from 0; none: each image's own answer
    std::string hide = "mean_color";
    int steps = 20;
    std::uint64_t seed = 0;  // of the random order
    std::string out;         // .csv or .npz
    bool json = false;       // whether areas and settings go to standard output
};

struct CurvesAudience {
    std::ostream& out;       // hears the description
    std::ostream& warnings;  // of the model
    std::function<void(const std::string&)> progress;
    StopFlag stop;
};

// Deletion and insertion curves (gradient/deletion.h): a row for each step of each method of each
// image. Throws UsageError for options that make no sense, another std::exception of one sentence
// where the work cannot be done, Stopped.
void run_curves(const CurvesOptions& options, const CurvesAudience& audience);

// The methods, and "random".
std::string curve_methods();

}  // namespace headlight::cli
