#pragma once

#include <functional>
#include <vector>

#include "encoder/ablation.h"

namespace headlight {

// What of an answer follows a part of the model that is taken from another run, such as on the
// picture before it was edited: a token of the residual stream, or what a layer adds to it.
// (patch_heads takes heads, ablation.h, which names the sources.)
//
// Of the first sample. Both runs are of one model with a classifier and on as many tokens; throws
// RecipeError where they are not, and where there is no such class; Stopped when told to stop.

// A class in one run's answer.
struct ClassAnswer {
    double probability = 0;
    float logit = 0;

    friend bool operator==(const ClassAnswer&, const ClassAnswer&) = default;
};

// The answer with a part patched, less that without; and what it could come to.
struct PatchedAnswers {
    ClassAnswer now, from;
};

// Tokens of the residual stream, from what enters the first layer (step 0) to what the last one
// leaves: "causal tracing", as Meng et al., "Locating and Editing Factual Associations in GPT",
// arXiv 2202.05262, section 2.1, restore states of tokens.
struct TokenEffects : PatchedAnswers {
    // By step, then by token. The last steps are computed first, as they cost least; those that are
    // not yet are empty.
    std::vector<std::vector<HeadEffect>> tokens;
    // By step: all tokens at once. The rest of the model then runs as in the other run; where both
    // were made under one Counterfactual the answer is the other run's.
    std::vector<HeadEffect> all;
};
// Called after every step with what is known by then.
using TokenEffectsSoFar = std::function<void(const TokenEffects&)>;

TokenEffects patch_tokens(const ModelRun& now, const ModelRun& from, Index of_class,
                          const TokenEffectsSoFar& so_far = {},
                          const AblationProgress& progress = {}, const StopFlag& stop = {});

// What a layer's two branches give for all tokens, before they are added to the stream: the
// stream itself stays that of the run.
struct LayerEffect {
    HeadEffect attention;  // all its heads
    HeadEffect mlp;        // nothing where there is none
    HeadEffect both;
};
struct LayerEffects : PatchedAnswers {
    std::vector<LayerEffect> layers;  // by block; nothing of T2T's token transformers
};

LayerEffects patch_layers(const ModelRun& now, const ModelRun& from, Index of_class,
                          const AblationProgress& progress = {}, const StopFlag& stop = {});

}  // namespace headlight
