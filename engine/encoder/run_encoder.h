#pragma once

#include <functional>

#include "ops/ops.h"
#include "program/program.h"
#include "trace/trace.h"

namespace headlight {

// Hears of each layer of a model when it is computed: `layer` holds its attention and what else it
// keeps, and is gone afterwards. Called in the order of the layers.
using LayerObserver = std::function<void(const Trace& layer)>;

// Runs a whole model on a trace that has come as far as its patches, or has what enters the first
// layer: Tensor::tokens, or Tensor::pre_norm where the model has that norm. For all samples of its
// batch. Every layer is computed in full: the observer sees each with products and scores too.
// Gives the trace back with the last layer and what follows it. Throws as Runner::advance does.
Trace run_encoder(Trace front, const Counterfactual& change, const LayerObserver& observer,
                  const StopFlag& stop = {});

}  // namespace headlight
