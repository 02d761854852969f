#pragma once

#include <iosfwd>
#include <string>

#include "cli/model_file.h"

namespace headlight::cli {

struct InfoOptions {
    std::string model;
    std::string config;  // JSON file, or empty
    std::string part;    // an encoder of the file, or empty
    std::string image;   // under attention maps without a model, or empty
    LayoutOptions layout;
    bool json = false;  // prints one object instead of lines
};

// Prints what the file contains, what was inferred and from what, and what is missing. One fact per
// line, or one JSON object: file, family, title, sizes as numbers, facts, parameters, unused
// tensors and warnings. The model's warnings go to `warnings`. Throws std::exception with one
// sentence if the file cannot be read or `out` cannot be written.
void run_info(const InfoOptions& options, std::ostream& out, std::ostream& warnings);

}  // namespace headlight::cli
