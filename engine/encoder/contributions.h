#pragma once

#include <optional>
#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// What each part of a model adds to one logit: the residual stream that the model's end reads is
// the sum of what enters the first layer and of what every head and every MLP has added, and with
// the final norm's deviations frozen at those of this very input the end is linear in it. What
// remains of their product with the class's row is the part's direct contribution; what it did to
// later layers counts as theirs. Elhage et al., "A Mathematical Framework for Transformer
// Circuits", 2021 (section "direct paths"); the frozen norm as in Gandelsman, Efros and
// Steinhardt, "Interpreting CLIP's Image Representation via Text-Based Decomposition", arXiv
// 2310.05916, section 3.
struct FrozenRow {
    std::optional<Index> token;  // whose; none: of what was pooled
    // Of its numbers before the norm; each part of the row is less its own mean and then divided by
    // this deviation, √(variance + ε).
    double mean = 0, deviation = 1;
};
struct Contributions {
    double input = 0;  // what enters the first layer
    // By block, empty for T2T's token transformers: of each head its A·V, through its columns of
    // the projection.
    std::vector<std::vector<double>> heads;
    // By block: the projection's bias; where a norm stands before the projection and mixes the
    // heads, all of the attention, and `heads` of the block is empty.
    std::vector<double> attention_rest;
    std::vector<double> mlp;  // by block
    double end = 0;           // biases of the norms at the end and of the classifier
    // What the norms at the end were frozen at, row by row; empty where they keep running numbers,
    // which are the same for all inputs, or there is none.
    std::vector<FrozenRow> frozen;

    [[nodiscard]] double attention(std::size_t block) const;  // all heads, and the rest
    [[nodiscard]] double sum() const;                         // the logit
};

// Throws RecipeError in one sentence where no model of this kind gives its answer as a sum.
void expect_sum_of_contributions(const Model& model);

// To a class's logit, of the first sample. `trace` and `change` as for ablate_heads. Throws
// RecipeError in one sentence where the stream is no plain sum (norms after the sums, T2T's skips)
// or the end is not linear (a pooler), and as ablate_heads; Stopped when told to stop.
Contributions contributions_to(const Trace& trace, const Counterfactual& change, Index of_class,
                               const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
