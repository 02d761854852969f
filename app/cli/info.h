#pragma once

#include <iosfwd>
#include <string>

#include "cli/model_file.h"

namespace headlight::cli {

struct InfoOptions {
    std::string model;
    std::string config;  // JSON file, or empty
    std::string part;    // an encoder of the file, or empty
    std::string image;   // that attention maps alone lie on, or empty
    LayoutOptions layout;
    bool json = false;   // one object instead of lines
};

// Prints what the file says, what was inferred and from where, and what is missing, one fact a
// line, or all as one JSON object: file, family, title, sizes as numbers, facts, parameters, unused
// tensors and warnings. The model's warnings are printed apart. Throws std::exception of one sentence where the file cannot be
// read or out cannot be written.
void run_info(const InfoOptions& options, std::ostream& out, std::ostream& warnings);

}  // namespace headlight::cli
