#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/summary.h"
#include "encoder/ablation.h"
#include "encoder/contributions.h"
#include "measures/computed_measures.h"
#include "state/state.h"
#include "tasks/studies.h"

// Measurements of all heads of a model at once, computed in background tasks.
namespace headlight {

// The default token where none is chosen: the class token, or else the patch in the middle.
int usual_token(const Trace& trace);

// A token in all layers: which tokens it attends to, or which attend to it.
struct TokenQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // of `trace`
    Index token = 0;
    Reading reading = Reading::from;
    std::vector<Index> also{};  // more tokens whose maps are wanted

    friend bool operator==(const TokenQuestion&, const TokenQuestion&) = default;
};

// The token of `layer` at the same position as `token` of the trace's layer: the same index, or in
// another stage of Swin the token that covers the patch's middle. Empty where no attention of that
// layer is kept.
std::optional<Index> token_in_layer(const TokenQuestion& question, int layer, Index token);
// The patch grid of `layer`: the trace's own, except in other stages of Swin.
const PatchGrid& grid_in_layer(const Trace& trace, const KeptLayers& kept, int layer);
// Whether the trace's layer has as many tokens as the last one. If not, none of its tokens can be
// followed to the end of the model.
bool has_last_tokens(const Trace& trace);

// By block: each head's row or column, [H, N]. Null where a layer's attention is not kept, and for
// T2T's token transformers, which have other tokens. N differs between the stages of Swin.
using MapsOfToken = std::vector<SharedResult>;

// A token in the residual stream.
struct TokenInStream {
    // Its cosines with all tokens, [layers + 1, N]: at the input of the first layer, then after
    // each layer. Null for a model without a residual stream, and where `token` belongs to another
    // set of tokens. In Swin from the last patch merging on (Model::alike_from).
    SharedResult likeness;
    // Logit lens: the logits if the model ended after each layer, [layers + 1, classes]. Empty
    // without a classifier.
    Matrix lens;
    std::vector<std::vector<double>> answers;  // class probabilities of each row of `lens`
    // Without a classifier: its cosines with the final state of all tokens, [layers + 1, N]
    // (encoder/nearest.h). Empty with a lens, and where the residual stream changes its width.
    Matrix nearest;
};

struct TokenInLayers {
    MapsOfToken maps;
    std::vector<MapsOfToken> also;      // for the other tokens, in their order
    std::vector<TokenInStream> stream;  // for each query
    double milliseconds = 0;            // time spent on the maps
    Index made = 0;  // number of maps computed; others were reused from the previous question

    // The maps of query `q`; queries are numbered in the order of the question.
    [[nodiscard]] const MapsOfToken& of(std::size_t q) const { return q == 0 ? maps : also[q - 1]; }
};

using TokenFinder = Study<TokenQuestion, TokenInLayers>;

// Reuses what `before` computed for the same result. progress: part of the maps that is done, 0..1;
// may be null.
TokenInLayers compute_across_layers(const TokenQuestion& question, const StopFlag& stop = {},
                                    const TokenFinder::Said* before = nullptr,
                                    std::atomic<float>* progress = nullptr);

// The class that importance, contributions and patching refer to: the chosen one, or the predicted
// one where none is chosen or the model has no such class. Empty where the model predicts none.
std::optional<Index> class_in_question(const Look& look, const Model& model,
                                       const std::vector<Prediction>& top);

// Ablation: how switching off each head in turn changes a class.
struct EffectQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that `trace` was computed with
    Index of_class = 0;

    friend bool operator==(const EffectQuestion&, const EffectQuestion&) = default;
};

// Activation patching: how a class changes when each head's output in turn comes from another run.
struct PatchQuestion {
    EffectQuestion now;
    std::shared_ptr<const Trace> from;
    Counterfactual from_change;  // that `from` was computed with

    friend bool operator==(const PatchQuestion&, const PatchQuestion&) = default;
};

// Effect of a head set to zero, and set to its mean over the tokens.
struct HeadImportance {
    HeadEffects off, level;
};
using EffectFinder = Study<EffectQuestion, HeadImportance>;

// Ablation for a model without classes: how far each head turns the model's output vector.
struct TurnQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that `trace` was computed with

    friend bool operator==(const TurnQuestion&, const TurnQuestion&) = default;
};
struct HeadsTurning {
    HeadTurns off, level;
};
using TurnFinder = Study<TurnQuestion, HeadsTurning>;
using PatchFinder = Study<PatchQuestion, HeadEffects>;
using ComputedFinder = Study<EffectQuestion, HeadValues>;
using ContributionFinder = Study<EffectQuestion, Contributions>;  // to that class's logit

// For the current result and for the baseline. When a question adds one token, only that token's
// maps are computed.
extern const TokenFinder kTokenMaps, kTokenMapsBefore;
extern const EffectFinder kImportance;
extern const TurnFinder kOutputTurns;
extern const PatchFinder kHeadPatching;
extern const ContributionFinder kContributions;
// For the current result. A measure that is not of a class is asked for class 0.
const ComputedFinder& study_of(const ComputedMeasure& measure);

// Asks which of a token's maps look alike on the picture's patches.
struct GroupQuestion {
    std::shared_ptr<const TokenFinder::Said> maps;
    std::size_t query = 0;  // index of the query
    float alike = 0.5F;     // groups merge if their mean correlation is at least this

    friend bool operator==(const GroupQuestion&, const GroupQuestion&) = default;
};

struct HeadGroups {
    std::vector<HeadPlace> order;  // all heads that have a map, similar ones next to each other
    std::vector<int> group;        // group of each head in `order`, from 0
    int groups = 0;
    // By position in `order`: the mean correlation at which the heads before it and the heads from
    // it on were merged. NaN for the first.
    std::vector<double> joined;
};

// Hierarchical clustering by 1 − correlation (analysis/clusters.h). A constant map correlates with
// none.
HeadGroups group_heads(const GroupQuestion& question, const StopFlag& stop = {});

using GroupFinder = Study<GroupQuestion, HeadGroups>;
extern const GroupFinder kHeadGroups;

}  // namespace headlight
