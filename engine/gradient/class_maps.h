#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/prediction.h"
#include "gradient/backward.h"
#include "gradient/map_methods.h"
#include "patches/patches.h"

// Maps over the patches that show what a class's logit, or the output of a model without classes,
// depends on.
namespace headlight {

struct ClassMapQuestion {
    MapMethod method = MapMethod::relevance;
    std::optional<Index> of_class{};  // none: the most probable class
    std::vector<int>
        layers{};  // from 0, ascending, not counting T2T's token transformers; empty: all
    double discard_ratio = 0;  // for gradient_rollout
    int steps = 32;            // for integrated_gradients
    std::vector<int> heads{};  // from 0, ascending; for methods that use attention; empty: all
};

struct ClassMap {
    PatchGrid grid;
    Matrix cells;  // [grid.rows, grid.cols]
    // The class, with its probability and logit; none for a model without classes.
    std::optional<Prediction> about{};

    // All cells are 0, as where a method leaves out everything negative.
    [[nodiscard]] bool is_zero() const { return cells.size() > 0 && (cells.array() == 0.0F).all(); }
};

// Cuts a complete trace back to its patches, as a start for class_map(). Throws RecipeError if its
// tokens were given.
Trace back_to_patches(const Trace& done);

// The map of the first sample. `front` must be computed up to its patches, as for Runner::run(), or
// be a complete trace of the model with `change`, which is then not run again unless the method
// reads the attention of all layers on the way. progress: called with each layer. Throws
// RecipeError if there is no such gradient, class or head, AnalysisError if the layers have
// different tokens and the method compares them, and Stopped.
ClassMap class_map(Trace front, const Counterfactual& change, const ClassMapQuestion& question,
                   const StopFlag& stop = {},
                   const std::function<void(const std::string&)>& progress = {});

}  // namespace headlight
