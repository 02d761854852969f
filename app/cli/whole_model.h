#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/front.h"
#include "cli/layers_option.h"
#include "cli/trace_writer.h"
#include "gradient/backward.h"
#include "kernels/stop.h"

namespace headlight::cli {

// Throws as trace_whole_model does.
Beginning begin_whole_model(const Source& source);

// Runs all layers of a model, or reads them from a file of maps, and writes each as it comes; then
// the gradients of `gradient_of`, if it is something, from the end back to the pixels.
// `progress` hears of every layer, `warnings` of a choice of grids (say_layout). Throws WorkError
// and the errors of the engine where file, model and what was asked do not fit together; Stopped.
void trace_whole_model(const Source& source, const LayersOption& layers,
                       const std::optional<GradientTarget>& gradient_of, TraceWriter& writer,
                       std::ostream& warnings,
                       const std::function<void(const std::string&)>& progress,
                       const StopFlag& stop);

}  // namespace headlight::cli
