#pragma once

#include <string>
#include <vector>

#include "cli/features.h"

// `headlight nearest`: which images of a folder, or which of their patches, a model finds most
// similar to an image or a patch of it.
namespace headlight::cli {

struct NearestOptions {
    SourceOptions source;            // its image is the one that others are compared with
    std::vector<std::string> among;  // files and folders
    std::string layer = "last";      // as of FeaturesOptions
    std::string query;               // a patch of the image, or empty: images as wholes
    int count = 10;                  // the longest list
    std::string out;                 // .csv, or empty: the list goes to standard output
    bool json = false;               // whether the result is described on standard output
    bool keep = true;                // whether features are kept on the disk
};

// Writes a table, most similar first: image and cosine, and where a patch is asked for, token, row
// and column of the most similar patch; tokens count from 0, rows and columns from 1. Images that
// cannot be read are named on `warnings`, and the others are compared. Throws UsageError where
// options contradict each other; WorkError where the work cannot be done, and when all is written,
// where an image failed; Stopped.
void write_nearest(const NearestOptions& options, const Audience& audience);

}  // namespace headlight::cli
