#pragma once

#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// How large the output of each of a layer's two branches is relative to the residual stream it is
// added to: ‖branch‖ / ‖residual stream‖ per token, Euclidean norms, after LayerScale. NaN for a
// token with 0 / 0. Empty if the layer has no such branch, or does not add it to the residual
// stream.
struct BranchSizes {
    std::vector<double> attention;  // relative to the input of the layer
    std::vector<double> mlp;  // relative to the residual stream after attention (after a norm in
                              // between, if there is one)
};

// By block, for the first sample; empty for T2T's token transformers, which precede the layers.
// `trace` must be complete under `change`. Recomputes each layer. Throws RecipeError for a model
// without layers to examine, Stopped on a stop request.
std::vector<BranchSizes> branch_sizes(const Trace& trace, const Counterfactual& change,
                                      const AblationProgress& progress = {},
                                      const StopFlag& stop = {});

// Mean over the tokens; NaN if there are none.
double mean_of(const std::vector<double>& sizes);

}  // namespace headlight
