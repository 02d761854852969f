#pragma once

#include <span>
#include <vector>

#include "analysis/head_measures.h"
#include "encoder/ablation.h"

// The measures on request that one complete run is enough for. Each is a row of kMeasuresOnRequest
// with its texts (analysis/head_measures.h), and a row here that computes it. The window,
// `headlight measure` and `headlight figure` read both.
namespace headlight {

struct RunToMeasure {
    const Trace& trace;  // complete under `change`
    const Counterfactual& change;
    Index of_class = 0;  // for measures of a class
    AblationProgress progress{};
    StopFlag stop{};
};

// By block, then by head; empty for a block without the measure.
using HeadValues = std::vector<std::vector<double>>;

struct ComputedMeasure {
    HeadMeasure id{};
    // For any model, or for any with a classifier if the measure is of a class.
    bool (*possible)(const Model&, const Counterfactual&) = nullptr;
    // For the first sample. Throws RecipeError if there is no such measure, and Stopped.
    HeadValues (*compute)(const RunToMeasure&) = nullptr;
};

std::span<const ComputedMeasure> computed_measures();
const ComputedMeasure* computed_measure(HeadMeasure measure);  // null: not among them

}  // namespace headlight
