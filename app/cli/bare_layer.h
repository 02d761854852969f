#pragma once

#include "cli/front.h"

namespace headlight::cli {

// Runs a single attention layer on a picture, pixels, tokens, or query and value. Throws WorkError
// and the errors of the engine where file, layer and what was asked do not fit together.
Trace trace_bare_layer(const Source& source);

}  // namespace headlight::cli
