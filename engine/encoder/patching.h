#pragma once

#include <functional>
#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// Activation patching for other parts than heads: a token of the residual stream, or the output of
// a layer's branch, is taken from another run, such as the run on the picture before it was edited.
// (patch_heads in ablation.h patches heads and cites the sources.)
//
// For the first sample. Throws RecipeError unless both runs are of the same model with a
// classifier, on the same number of tokens, and the class exists. Throws Stopped on a stop request.

// One run's output for a class.
struct ClassAnswer {
    double probability = 0;
    float logit = 0;

    friend bool operator==(const ClassAnswer&, const ClassAnswer&) = default;
};

// Base of the results below. Effects are: output with a part patched, minus output without. `now`
// and `from` are the outputs of the two runs, for comparison.
struct PatchedAnswers {
    ClassAnswer now, from;
};

// Effects of patching tokens of the residual stream, from the input of the first layer (step 0) to
// the output of the last. This is "causal tracing": Meng et al., "Locating and Editing Factual
// Associations in GPT", arXiv 2202.05262, section 2.1, restore the states of tokens.
struct TokenEffects : PatchedAnswers {
    // By step, then by token. The last steps are computed first because they cost least; steps that
    // are not computed yet are empty.
    std::vector<std::vector<HeadEffect>> tokens;
    // By step: all tokens at once. The rest of the model then runs as in the other run. If both
    // runs used the same Counterfactual, the output equals the other run's.
    std::vector<HeadEffect> all;
};
// Called after every step with the results so far.
using TokenEffectsSoFar = std::function<void(const TokenEffects&)>;

TokenEffects patch_tokens(const ModelRun& now, const ModelRun& from, Index of_class,
                          const TokenEffectsSoFar& so_far = {},
                          const AblationProgress& progress = {}, const StopFlag& stop = {});

// Effects of patching the outputs of a layer's branches for all tokens, before they are added to
// the residual stream. The residual stream itself stays that of the run `now`.
struct LayerEffect {
    HeadEffect attention;  // all heads of the layer
    HeadEffect mlp;        // zero if the layer has no MLP
    HeadEffect both;
};
struct LayerEffects : PatchedAnswers {
    std::vector<LayerEffect> layers;  // by block; without T2T's token transformers
};

LayerEffects patch_layers(const ModelRun& now, const ModelRun& from, Index of_class,
                          const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
