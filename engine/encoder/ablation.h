#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/ops.h"
#include "program/program.h"
#include "trace/trace.h"

namespace headlight {

// How the model's output for a class changes when one head is switched off (its A·V set to zero)
// and everything else stays the same. This measures importance by intervention. Michel, Levy and
// Neubig, "Are Sixteen Heads Really Better than One?", arXiv 1905.10650, section 3.1, remove one
// head at a time.
struct HeadEffect {
    double probability = 0;  // of the class: with the intervention minus without
    float logit = 0;         // the same difference of its logit

    friend bool operator==(const HeadEffect&, const HeadEffect&) = default;
};
// By block, then by head; empty for T2T's token transformers, which precede the layers.
using HeadEffects = std::vector<std::vector<HeadEffect>>;

// Called after each head with the fraction done, 0..1.
using AblationProgress = std::function<void(float)>;

// Throws RecipeError if the model has no classifier ("<what> needs a model with a classifier.") or
// no such class.
void expect_class(const Trace& trace, Index of_class, std::string_view what);

// The effect of switching off each head of each layer, for one class of the first sample. `trace`
// must be of a model with a classifier and complete under `change`. Layers before the head's layer
// are not recomputed. Heads that are already off have no effect. Throws RecipeError if there is no
// such class, Stopped on a stop request.
HeadEffects ablate_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                         const AblationProgress& progress = {}, const StopFlag& stop = {});

// The same, with each head's A·V replaced by its mean over the tokens of the sample. Later layers
// never saw a zero output in training; the mean removes what differs between tokens and keeps what
// is common. This is "mean ablation" as in Wang et al., "Interpretability in the Wild", arXiv
// 2211.00593. Their mean is over many inputs; here it is over the tokens of this input.
HeadEffects level_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                        const AblationProgress& progress = {}, const StopFlag& stop = {});

// The one-row tensor that represents the image at the end of the model: the logits, or the pooled
// row. Nothing if the model pools nothing.
std::optional<Tensor> pooled_by(const Model& model);

// The output row of a model without classes, for the first sample. It is the pooled row. If the
// model does not pool, it is the class token's row after the final norm, or without a class token
// the mean of the patches' rows. output_row throws RecipeError if there is no residual stream or
// the trace is not complete.
bool has_output_row(const Trace& trace);
Vector output_row(const Trace& trace);

// How far each intervention turns the output row: 1 − the cosine between the row with and without
// it. The head is switched off, or replaced by its mean. 0: same direction, 2: opposite direction.
// By block, then by head; 0 for heads that are already off; NaN if a row is all zeros. Throws as
// output_row().
using HeadTurns = std::vector<std::vector<double>>;
HeadTurns turns_without_heads(const Trace& trace, const Counterfactual& change,
                              const AblationProgress& progress = {}, const StopFlag& stop = {});
HeadTurns turns_of_level_heads(const Trace& trace, const Counterfactual& change,
                               const AblationProgress& progress = {}, const StopFlag& stop = {});

// The effect of taking each head's output (its A·V, all tokens) from another run of the model, such
// as the run on the picture before it was edited. It measures how much of the output depends on
// that head. "Activation patching": Vig et al., "Investigating Gender Bias in Language Models Using
// Causal Mediation Analysis", arXiv 2004.12265; Zhang and Nanda, "Towards Best Practices of
// Activation Patching in Language Models", arXiv 2309.16042. Throws RecipeError unless both traces
// are of the same model and the same number of tokens.
struct ModelRun {
    const Trace& trace;
    const Counterfactual& change;  // under which the trace was computed
};
HeadEffects patch_heads(const ModelRun& now, const ModelRun& from, Index of_class,
                        const AblationProgress& progress = {}, const StopFlag& stop = {});

// The logits [1, classes] with the outputs of these heads taken from the other run.
Matrix patched_answer(const ModelRun& now, const ModelRun& from,
                      const std::vector<HeadPlace>& heads, const StopFlag& stop = {});

}  // namespace headlight
