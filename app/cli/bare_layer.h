#pragma once

#include "cli/front.h"
#include "cli/layers_option.h"
#include "cli/trace_writer.h"
#include "kernels/stop.h"

namespace headlight::cli {

// Of one bare layer or a stack of them. Throws as trace_bare_layers does.
Beginning begin_bare_layers(const Source& source);

// Runs bare layers, one or a stack of them, on a picture, on pixels or on given tokens, and writes
// each as it comes. Throws WorkError and the errors of the engine where file, input and what was
// asked do not fit together; Stopped.
void trace_bare_layers(const Source& source, const LayersOption& layers, TraceWriter& writer,
                       const StopFlag& stop);

}  // namespace headlight::cli
