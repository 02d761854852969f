#pragma once

#include "gradient/backward.h"
#include "kernels/stop.h"
#include "program/program.h"
#include "pytorch/script.h"

namespace headlight {

// The gradients for a script that writes out that layer. `trace` must be a result of Runner::run(),
// as for run_backward(). Throws RecipeError if the script has no result that y is computed from,
// and as run_backward() does.
ScriptGradients script_gradients(const Trace& trace, const Counterfactual& change,
                                 const GradientTarget& target, int layer,
                                 const StopFlag& stop = {});

}  // namespace headlight
