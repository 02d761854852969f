#pragma once

#include <memory>

#include "attention/layer.h"
#include "trace/trace.h"

namespace headlight {

// Puts the weights into the trace, each as a result that views can show.
void set_weights(Trace& trace, std::shared_ptr<const AttentionWeights> weights);

// Computes one step of the layer (Step::qkv and later) from the results before it; Step::scale also
// fills what Step::softmax would, and Step::mix what Step::concat would. Config, shape,
// weights and tokens must be set. Throws AttentionError for a configuration that does not fit.
void compute_layer_step(Trace& trace, Step step, const StopFlag& stop);

}  // namespace headlight
