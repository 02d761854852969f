#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// What each part of a model adds to one logit. The final residual stream is the sum of the input of
// the first layer and of the outputs of all heads and MLPs. If the standard deviations of the final
// norm are frozen at the values for this input, the end of the model is linear in that sum. A
// part's direct contribution is its product with the gradient of the logit. Its effect on later
// layers counts as theirs. Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021
// (section "direct paths"); the frozen norm as in Gandelsman, Efros and Steinhardt, "Interpreting
// CLIP's Image Representation via Text-Based Decomposition", arXiv 2310.05916, section 3.
struct FrozenRow {
    std::optional<Index> token;  // the token of the row; none: the pooled row
    // Mean and standard deviation √(variance + ε) of the row before the norm. Each part of the row
    // has its own mean subtracted and is then divided by this deviation.
    double mean = 0, deviation = 1;
};
struct Contributions {
    double input = 0;  // input of the first layer
    // By block, then by head: A·V of the head through its columns of the projection. Empty for
    // T2T's token transformers.
    std::vector<std::vector<double>> heads;
    // By block: the bias of the projection. If a norm before the projection couples the heads, all
    // of the attention; `heads` of the block is then empty.
    std::vector<double> attention_rest;
    std::vector<double> mlp;  // by block
    double end = 0;           // biases of the final norms and of the classifier
    // The frozen values of the final norms, row by row. Empty if there is no such norm, or if it
    // uses running statistics, which are the same for all inputs.
    std::vector<FrozenRow> frozen;

    [[nodiscard]] double attention(std::size_t block) const;  // all heads, and the rest
    [[nodiscard]] double sum() const;                         // the logit
};

// A sentence that says why no model of this kind computes its logits as such a sum; "" if it can.
std::string why_no_contributions(const Model& model);

// The contributions to a class's logit, for the first sample. `trace` and `change` as for
// ablate_heads. Throws RecipeError, in one sentence, if the residual stream is not a plain sum
// (post-norm layers, T2T's skips) or the end is not linear (a pooler), and in the cases of
// ablate_heads. Throws Stopped on a stop request.
Contributions contributions_to(const Trace& trace, const Counterfactual& change, Index of_class,
                               const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
