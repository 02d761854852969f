#pragma once

#include <vector>

#include "encoder/ablation.h"

// What becomes of a class's logit when a head is switched off, estimated for all heads at once by
// one gradient instead of a run for each: with z = A·V of the head,
//   −Σ z · ∂y/∂z
// over its tokens and channels, the first term of the Taylor series of what ablate_heads()
// measures. Michel, Levy and Neubig, "Are Sixteen Heads Really Better than One?", arXiv 1905.10650,
// section 4.1; Nanda, "Attribution Patching", 2023.
namespace headlight {

// By block, then by head; empty for T2T's token transformers.
using HeadAttributions = std::vector<std::vector<double>>;

// `trace` is computed to its end under `change`. Of the first sample. Heads that are off have 0.
// Throws RecipeError where there is no such gradient or class, Stopped. progress: after each layer.
HeadAttributions attribute_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                                 const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
