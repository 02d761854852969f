#pragma once

#include "cli/front.h"

namespace headlight::cli {

// Starts a run of one or more bare layers from a picture, pixels or given tokens. Throws WorkError
// and the engine's errors if file, input and options do not fit together.
Beginning begin_bare_layers(const Source& source);

}  // namespace headlight::cli
