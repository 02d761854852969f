#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/summary.h"
#include "encoder/ablation.h"
#include "encoder/contributions.h"
#include "gradient/attribution.h"
#include "state/state.h"
#include "tasks/studies.h"

// What is known of all heads of a model at once, computed beside the interface.
namespace headlight {

// The token that a first look falls on where none is chosen: the class token, or the patch in the
// middle.
int usual_token(const Trace& trace);

// A token in all layers: whom it reads, or who reads it.
struct TokenQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // of it
    Index token = 0;
    Reading reading = Reading::from;
    std::vector<Index> also{};  // whose maps are asked for too

    friend bool operator==(const TokenQuestion&, const TokenQuestion&) = default;
};

// The token of that layer that lies where `token` of the layer that is looked at does: the same
// one, or of Swin's other stages the one that covers its middle. None where nothing is kept of the
// layer.
std::optional<Index> token_in_layer(const TokenQuestion& question, int layer, Index token);
// Where that layer's patches lie: those of the layer that is looked at, but for Swin's other
// stages.
const PatchGrid& grid_in_layer(const Trace& trace, const KeptLayers& kept, int layer);
// Whether the layer that is looked at reads as many tokens as the last one: else no token of it can
// be followed to the model's end.
bool has_last_tokens(const Trace& trace);

// By block: each head's row or column, [H, N]; null where a layer's attention is not kept, and of
// T2T's token transformers, which have other tokens. Of Swin's stages each has its own N.
using MapsOfToken = std::vector<SharedResult>;

// A token in the residual stream.
struct TokenInStream {
    // Its cosines to all tokens: in what enters the first layer, then in what each layer leaves,
    // [layers + 1, N]. Null of a model without a stream. Of Swin from the last merge on
    // (Model::alike_from), and null where other tokens are looked at.
    SharedResult likeness;
    // What it would say if the model ended there, [layers + 1, classes] logits; empty without a
    // classifier.
    Matrix lens;
    std::vector<std::vector<double>> answers;  // of each of these rows: the classes' probabilities
    // Without a classifier its cosines with what all tokens are in the end, [layers + 1, N]
    // (encoder/nearest.h); empty with a lens, and where the stream changes its width.
    Matrix nearest;
};

struct TokenInLayers {
    MapsOfToken maps;
    std::vector<MapsOfToken> also;      // of the other tokens, in their order
    std::vector<TokenInStream> stream;  // of each query
    double milliseconds = 0;            // that the maps took
    Index made = 0;  // how many they were; others were there from the question before

    // Of query `q`, in the order in which they were asked for.
    [[nodiscard]] const MapsOfToken& of(std::size_t q) const { return q == 0 ? maps : also[q - 1]; }
};

using TokenFinder = Study<TokenQuestion, TokenInLayers>;

// What `before` answered of the same result is not computed again.
// progress: how far the maps are, 0..1; null: nobody asks.
TokenInLayers compute_across_layers(const TokenQuestion& question, const StopFlag& stop = {},
                                    const TokenFinder::Said* before = nullptr,
                                    std::atomic<float>* progress = nullptr);

// Of which class importance, contributions and patching are: the chosen one, or where none is, or
// the model has none of that number, the one that it answers. Nothing where it answers none.
std::optional<Index> class_in_question(const Look& look, const Model& model,
                                       const std::vector<Prediction>& top);

// Each head switched off in turn: what becomes of a class.
struct EffectQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that it was made under
    Index of_class = 0;

    friend bool operator==(const EffectQuestion&, const EffectQuestion&) = default;
};

// Each head's output in turn taken from another run: what becomes of a class.
struct PatchQuestion {
    EffectQuestion now;
    std::shared_ptr<const Trace> from;
    Counterfactual from_change;  // that it was made under

    friend bool operator==(const PatchQuestion&, const PatchQuestion&) = default;
};

// Switched off, and put to its mean over the tokens.
struct HeadImportance {
    HeadEffects off, level;
};
using EffectFinder = Study<EffectQuestion, HeadImportance>;

// The same of a model without classes: how far each head turns what the model gives.
struct TurnQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that it was made under

    friend bool operator==(const TurnQuestion&, const TurnQuestion&) = default;
};
struct HeadsTurning {
    HeadTurns off, level;
};
using TurnFinder = Study<TurnQuestion, HeadsTurning>;
using PatchFinder = Study<PatchQuestion, HeadEffects>;
using AttributionFinder = Study<EffectQuestion, HeadAttributions>;
using ContributionFinder = Study<EffectQuestion, Contributions>;  // to that class's logit

// Of the present result, and of the one that was kept. Asked for one token more, they compute that
// one's maps alone.
extern const TokenFinder kTokenMaps, kTokenMapsBefore;
extern const EffectFinder kImportance;
extern const TurnFinder kOutputTurns;
extern const AttributionFinder kAttribution;
extern const PatchFinder kHeadPatching;
extern const ContributionFinder kContributions;

// Which of a token's maps look alike on the picture's patches.
struct GroupQuestion {
    std::shared_ptr<const TokenFinder::Said> maps;
    std::size_t query = 0;  // whose
    float alike = 0.5F;     // two groups are one where their maps correlate on average at least so

    friend bool operator==(const GroupQuestion&, const GroupQuestion&) = default;
};

struct HeadGroups {
    std::vector<HeadPlace> order;  // of every head that has a map; those that are alike together
    std::vector<int> group;        // of each of them, from 0
    int groups = 0;
    // By place in the order: the mean correlation at which those before it and those from it on
    // were put together; of the first NaN.
    std::vector<double> joined;
};

// Clusters by 1 − correlation (analysis/clusters.h); a map that is the same everywhere correlates
// with none.
HeadGroups group_heads(const GroupQuestion& question, const StopFlag& stop = {});

using GroupFinder = Study<GroupQuestion, HeadGroups>;
extern const GroupFinder kHeadGroups;

}  // namespace headlight
