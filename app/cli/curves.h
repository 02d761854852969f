#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/source.h"

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

// Deletion and insertion curves (gradient/deletion.h): a row for each step of each method of each
// image. Throws UsageError for options that make no sense, another std::exception of one sentence
// where the work cannot be done, Stopped.
void run_curves(const CurvesOptions& options, const Audience& audience);

// The methods, and "random".
std::string curve_methods();

}  // namespace headlight::cli
