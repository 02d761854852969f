#pragma once

#include <string>
#include <vector>

#include "cli/features.h"

// `headlight nearest`: finds the images of a folder, or patches of them, that a model finds most
// similar to an image or one of its patches.
namespace headlight::cli {

struct NearestOptions {
    SourceOptions source;            // contains the query image
    std::vector<std::string> among;  // files and folders to search
    std::string layer = "last";      // as of FeaturesOptions
    std::string query;               // a patch of the image, or empty: compares whole images
    int count = 10;                  // maximum length of the list
    std::string out;                 // .csv, or empty: prints to standard output
    bool json = false;               // describe the result on standard output
    bool keep = true;                // keep features on the disk
};

// Writes a table, most similar first: image and cosine, and where a patch is asked for, token, row
// and column of the most similar patch; tokens count from 0, rows and columns from 1. Images that
// cannot be read are named on `warnings`, and the others are compared. Throws UsageError where
// options contradict each other; WorkError where the work cannot be done, and when all is written,
// where an image failed; Stopped.
void write_nearest(const NearestOptions& options, const Audience& audience);

}  // namespace headlight::cli
