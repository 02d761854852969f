#pragma once

#include <optional>

#include "cli/table_command.h"

namespace headlight::cli {

struct LensOptions : TableOptions {
    std::optional<std::string> of_class;  // index from 0, or name; empty: the most probable classes
    int top = 5;                          // how many of them, for the model's own answer
    bool patches = false;                 // also what every patch would answer
};

// Writes what the model would answer if it ended after each layer (encoder/lens.h): a row for each
// image, layer, token and class. Layer 0 is the input of the first layer. Without a token: the
// model's own answer, from its class token or its pooled tokens. With a patch: the answer if the
// model pooled that patch alone. Throws UsageError for invalid options; WorkError for a model
// without a lens and, when all is written, where an image could not be read; Stopped.
void run_lens(const LensOptions& options, const Audience& audience);

}  // namespace headlight::cli
