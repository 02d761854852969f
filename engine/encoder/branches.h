#pragma once

#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// How large what a layer's two branches add is beside the stream that they add it to, token by
// token: ‖branch‖ / ‖stream‖, both in the Euclidean norm, LayerScale within. NaN of a token whose
// stream is zero and to which nothing is added. By token; empty where the layer has no such branch,
// or adds it to no stream.
struct BranchSizes {
    std::vector<double> attention;  // beside what enters the layer
    std::vector<double> mlp;  // beside what attention has left; after a norm, where one stands
                              // between
};

// By block; of T2T's token transformers, which come before the layers, both are empty. `trace` is
// of a model that was computed to its end under `change`; of its first sample. Each layer is
// computed again. Throws RecipeError where there are no layers to look through, Stopped when told
// to stop.
std::vector<BranchSizes> branch_sizes(const Trace& trace, const Counterfactual& change,
                                      const AblationProgress& progress = {},
                                      const StopFlag& stop = {});

// Over the tokens; NaN where there are none.
double mean_of(const std::vector<double>& sizes);

}  // namespace headlight
