#pragma once

#include <functional>

#include "kernels/stop.h"
#include "program/program.h"
#include "trace/trace.h"

namespace headlight {

// Hears of each layer, computed by itself: it keeps its attention, input and output.
using ForwardObserver = std::function<void(const Trace& layer)>;

// Runs a whole model as run_encoder() does, with nothing kept of a layer but what it leaves: what
// run_backward() begins with. Grid and layout are those of the last layer. Throws Stopped.
Trace run_forward(Trace front, const Counterfactual& change, const StopFlag& stop = {},
                  const ForwardObserver& observer = {});

}  // namespace headlight
