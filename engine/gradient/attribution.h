#pragma once

#include <vector>

#include "encoder/ablation.h"

// Estimates how a class's logit changes when a head is switched off, for all heads at once, from
// one gradient instead of a run per head. With z = A·V of the head it is
//   −Σ z · ∂y/∂z
// over the head's tokens and channels. This is the first term of the Taylor series of what
// ablate_heads() measures. Michel, Levy and Neubig, "Are Sixteen Heads Really Better than One?",
// arXiv 1905.10650, section 4.1; Nanda, "Attribution Patching", 2023.
namespace headlight {

// By block, then by head; empty for T2T's token transformers.
using HeadAttributions = std::vector<std::vector<double>>;

// For the first sample. `trace` must be complete under `change`. Heads that are off have 0. Throws
// RecipeError if there is no such gradient or class, and Stopped. progress: after each layer.
HeadAttributions attribute_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                                 const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
