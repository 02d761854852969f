#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/source.h"

namespace headlight::cli {

struct MeasureOptions {
    SourceOptions source;             // its image is not used
    std::vector<std::string> images;  // files and folders
    std::string what;                 // measures separated by commas; empty: those of every run
    std::optional<std::string>
        of_class;              // index from 0, or name; empty: each image's predicted class
    std::string query;         // for alike, change and region; empty: the default
    std::string like = "1.1";  // of alike: layer and head from 1
    std::string before;        // of patching and change: an image, or empty
    // Of change: another model, or empty for the same file, with the settings that it takes.
    std::string before_model, before_attention, before_config, before_part;
    std::string region;  // a mask, or a folder with one of each image; or empty
    std::string out;     // .csv or .npz
    bool json = false;   // describe the table on standard output

    // Whether change compares with a model of its own.
    [[nodiscard]] bool has_model_before() const {
        return !before_model.empty() || !before_attention.empty() || !before_config.empty() ||
               !before_part.empty();
    }
};

// Writes a table of one row for each head of each layer of each image: image, layer and head, which
// count from 1, then the measures in full precision. T2T's token transformers are left out. Images
// that fail are named on `warnings`, and the others are measured; one image is in memory at a time.
// Throws UsageError for options that contradict each other; WorkError where the model has no such
// measure, and when all is written, where an image failed; Stopped.
void run_measure(const MeasureOptions& options, const Audience& audience);

// "importance, importance_logit, attribution, contribution and patching"
std::string measures_of_class(const std::string& conjunction);
// For the help: the name and description of every measure.
std::string measures_help();

}  // namespace headlight::cli
