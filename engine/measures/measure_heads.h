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

// The measures of every head of a model on one input (analysis/head_measures.h), including those on
// request. Keeps only the numbers.
namespace headlight {

// True if the importance of heads can be measured by switching them off in such a model.
bool has_importance(const Model& model);
// Whether such a model has a measure of an image alone (HeadMeasureInfo::is_of_image).
bool has_measure(HeadMeasure measure, const Model& model, const Counterfactual& change);

struct HeadMeasuresQuestion {
    std::vector<HeadMeasure> what;
    // For measures of a class; none: the most probable class of the input.
    std::optional<Index> of_class{};
    // For measures of a query: the token whose maps are compared or summed. For alike: the chosen
    // head.
    std::function<Index(const TokenPlaces&)> query{};
    HeadPlace chosen{};
    // For measures of a region: called once, for the first layer; converted to the grids of the
    // others.
    std::function<Region(const Trace&)> region{};

    [[nodiscard]] bool asks(HeadMeasure measure) const;
    // Whether it asks for a measure of that kind: `&HeadMeasureInfo::of_region`.
    [[nodiscard]] bool asks(bool HeadMeasureInfo::*kind) const;
};

struct MeasuredHeads {
    // By block, then by head; NaN: not requested, or undefined. Importance and patching are changes
    // of a probability, 0..1. For a model without classes, importance is 1 − the cosine of its
    // output with and without the head (HeadTurns).
    LayerNumbers heads;
    // By block: the patches of the region on that layer's grid, for region and within_region. 0
    // where no patch's center is in the region.
    std::vector<Index> region_patches{};
    TokenLayout layout;                // of the last layer
    std::optional<Prediction> answer;  // of a model with classes
};

// The run that patching and change compare with.
struct ComparedRun {
    Trace trace;
    Counterfactual change;
    std::vector<Matrix> rows;  // by block: the query's row of each head, [H, N]
};
ComparedRun compared_run(Trace front, const Counterfactual& change,
                         const HeadMeasuresQuestion& question, const StopFlag& stop = {});

// Throws RecipeError if the model lacks a requested measure, AnalysisError if two runs cannot be
// compared, and as Runner::run() does; Stopped. before: null unless patching or change is
// requested. progress: called after each layer of the run, then after each head.
MeasuredHeads measure_heads(Trace front, const Counterfactual& change,
                            const HeadMeasuresQuestion& question,
                            const ComparedRun* before = nullptr, const StopFlag& stop = {},
                            const std::function<void(const std::string&)>& progress = {});

}  // namespace headlight
