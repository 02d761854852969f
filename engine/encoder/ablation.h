#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "ops/ops.h"
#include "program/program.h"
#include "trace/trace.h"

namespace headlight {

// What becomes of the answer when one head is switched off (its A·V put to zero), everything else
// as it was: importance by intervention, not by looks. Michel, Levy and Neubig, "Are Sixteen Heads
// Really Better than One?", arXiv 1905.10650, section 3.1, who remove one head at a time.
struct HeadEffect {
    double probability = 0;  // of the class with the head switched off, less that with it
    float logit = 0;         // the same of its logit

    friend bool operator==(const HeadEffect&, const HeadEffect&) = default;
};
// By block, then by head; empty for T2T's token transformers, which come before the layers.
using HeadEffects = std::vector<std::vector<HeadEffect>>;

// Called after each head with the part that is done, 0..1.
using AblationProgress = std::function<void(float)>;

// Throws RecipeError where the model has no classifier ("… needs a model with a classifier.",
// `what` in its place), or no such class.
void expect_class(const Trace& trace, Index of_class, std::string_view what);

// Every head of every layer, for one class of the first sample. `trace` is of a model with a
// classifier, computed to its end under `change`; the layers before a head's are not computed
// again. Heads that are off already change nothing. Throws RecipeError where there is no such
// class, Stopped when told to stop.
HeadEffects ablate_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                         const AblationProgress& progress = {}, const StopFlag& stop = {});

// The same with what each head adds made the same for all tokens: its A·V is put to its mean over
// the tokens of the sample. Zero is nothing that later layers have met; the mean takes away what
// the head finds, and leaves what it always says. ("Mean ablation", as in Wang et al.,
// "Interpretability in the Wild", arXiv 2211.00593, whose mean is over many inputs; here it is over
// this one's tokens.)
HeadEffects level_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                        const AblationProgress& progress = {}, const StopFlag& stop = {});

// The tensor of one row that a model's end makes of an image: logits, or what is pooled; nothing
// where it pools nothing.
std::optional<Tensor> pooled_by(const Model& model);

// What a model without classes says of an image: the row that it pools; where it pools none, the
// class token's row, or without one the mean of the patches' rows, as the final norm leaves them.
// Of the first sample. Throws RecipeError where it has no stream, or was not computed to its end.
bool has_output_row(const Trace& trace);
Vector output_row(const Trace& trace);

// How far each head turns that row: 1 − the cosine between what it is with the head switched off,
// or put to its mean, and what it is; 0: no change of its direction, 2: the opposite. By block and
// head, 0 for heads that are off already; NaN where a row is all zeros. Throws as output_row().
using HeadTurns = std::vector<std::vector<double>>;
HeadTurns turns_without_heads(const Trace& trace, const Counterfactual& change,
                              const AblationProgress& progress = {}, const StopFlag& stop = {});
HeadTurns turns_of_level_heads(const Trace& trace, const Counterfactual& change,
                               const AblationProgress& progress = {}, const StopFlag& stop = {});

// The effects of each head's output (its A·V, of all tokens) taken from another run of the model,
// such as on the picture before it was edited: what of the answer follows that head. "Activation
// patching": Vig et al., "Investigating Gender Bias in Language Models Using Causal Mediation
// Analysis", arXiv 2004.12265; Zhang and Nanda, "Towards Best Practices of Activation Patching in
// Language Models", arXiv 2309.16042. Both traces are of one model and as many tokens; throws
// RecipeError where they are not.
struct ModelRun {
    const Trace& trace;
    const Counterfactual& change;  // that it was made under
};
HeadEffects patch_heads(const ModelRun& now, const ModelRun& from, Index of_class,
                        const AblationProgress& progress = {}, const StopFlag& stop = {});

// The answer's logits [1, classes] with the outputs of these heads taken from the other run.
Matrix patched_answer(const ModelRun& now, const ModelRun& from,
                      const std::vector<HeadPlace>& heads, const StopFlag& stop = {});

}  // namespace headlight
