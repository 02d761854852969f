#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction.h"
#include "gradient/backward.h"
#include "gradient/map_methods.h"
#include "patches/patches.h"

// Maps over the patches that say what a class's logit, or what a model without classes gives,
// depends on.
namespace headlight {

struct ClassMapQuestion {
    MapMethod method = MapMethod::relevance;
    std::optional<Index> of_class{};  // none: the model's answer
    std::vector<int>
        layers{};  // from 0, ascending, T2T's token transformers not counted; empty: all
    double discard_ratio = 0;  // of gradient_rollout
    int steps = 32;            // of integrated_gradients
    std::vector<int> heads{};  // from 0, whose mean is taken, where attention is read; empty: all
};

struct ClassMap {
    PatchGrid grid;
    Matrix cells;  // [grid.rows, grid.cols]
    // The class, and what the model says of it; none: of a model without classes.
    std::optional<Prediction> about{};
};

// A trace that has come as far as its patches, of one that went further: what class_map() begins
// with. Throws RecipeError where its tokens were given.
Trace back_to_patches(const Trace& done);

// Of the first sample. `front` has come as far as its patches, as Runner::run() takes it. progress
// hears of each layer. Throws RecipeError where there is no such gradient, class or head,
// AnalysisError where the layers read different tokens and the method compares them, Stopped.
ClassMap class_map(Trace front, const Counterfactual& change, const ClassMapQuestion& question,
                   const StopFlag& stop = {},
                   const std::function<void(const std::string&)>& progress = {});

}  // namespace headlight
