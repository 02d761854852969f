#pragma once

#include "cli/table_command.h"

namespace headlight::cli {

// Writes the length (Euclidean norm) of every token in the residual stream: a row for each image,
// layer and token. Layer 0 is the input of the first layer. Throws UsageError for invalid options;
// WorkError for attention maps without a model and, when all is written, where an image could not
// be read; Stopped.
void run_norms(const TableOptions& options, const Audience& audience);

}  // namespace headlight::cli
