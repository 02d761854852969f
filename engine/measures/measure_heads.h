#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/prediction.h"
#include "analysis/summary.h"
#include "encoder/runner.h"
#include "patches/region.h"
#include "program/head_place.h"
#include "trace/same_place.h"

// The measures of every head of a model on one input (analysis/head_measures.h), those on request
// too. Nothing is kept but the numbers.
namespace headlight {

// Whether the heads of such a model can be switched off to see what becomes of its end.
bool has_importance(const Model& model);

struct HeadMeasuresQuestion {
    std::vector<HeadMeasure> what;
    // Of importance, attribution, contribution and patching; none: the class that the input's
    // answer is.
    std::optional<Index> of_class{};
    // Of alike, change and region: the token whose maps they compare or add up, and the head that
    // is the chosen one.
    std::function<Index(const TokenPlaces&)> query{};
    HeadPlace chosen{};
    // Of region and within_region: asked once, of the first layer; others have it on their grids.
    std::function<Region(const Trace&)> region{};

    [[nodiscard]] bool asks(HeadMeasure measure) const;
};

struct MeasuredHeads {
    // By block, then by head; NaN: not asked for, or there is no such number. Importance and
    // patching are changes of a probability, 0..1; the importance of a model without classes is
    // 1 − the cosine of what its output is without the head and with it (HeadTurns).
    LayerNumbers heads;
    TokenLayout layout;                // of the last layer
    std::optional<Prediction> answer;  // of a model with classes
};

// The run that patching and change compare with.
struct ComparedRun {
    Trace trace;
    Counterfactual change;
    std::vector<Matrix> rows;  // by block: the query's row of each head [H, N]
};
ComparedRun compared_run(Trace front, const Counterfactual& change,
                         const HeadMeasuresQuestion& question, const StopFlag& stop = {});

// Throws RecipeError where the model has none of a measure that was asked for, AnalysisError where
// two runs cannot be compared, and as Runner::run() does; Stopped. before: null where neither
// patching nor change is asked for. progress: hears of each layer of the run, then of each head.
MeasuredHeads measure_heads(Trace front, const Counterfactual& change,
                            const HeadMeasuresQuestion& question,
                            const ComparedRun* before = nullptr, const StopFlag& stop = {},
                            const std::function<void(const std::string&)>& progress = {});

}  // namespace headlight
