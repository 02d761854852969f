#pragma once

#include "cli/front.h"

namespace headlight::cli {

// What a run of bare layers, one or a stack of them, begins with: a picture, pixels or given
// tokens. Throws WorkError and the errors of the engine where file, input and what was asked do not
// fit together.
Beginning begin_bare_layers(const Source& source);

}  // namespace headlight::cli
