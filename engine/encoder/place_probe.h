#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/model.h"
#include "program/recipe.h"

namespace headlight {

// How well a linear map per layer, trained on some scenes, predicts a patch's row and column from
// the residual stream (analysis/readout.h).
struct SceneReadout {
    // R² on the test scenes: for the input of the first layer, then for the output of each layer.
    // NaN if the grid has only one row, or only one column.
    std::vector<double> row, column;
    int taught = 0, tested = 0;  // number of scenes
    Index patches = 0;           // per scene
};

// Trains on some scenes and tests on others, under the recipe's changes. Needs at least one scene
// of each. progress: 0..1. Throws RecipeError for a model without pictures as input, or whose first
// layers have other patches than the later ones; otherwise as Runner::run(). Throws Stopped on a
// stop request.
SceneReadout read_places_of_scenes(const std::shared_ptr<const Model>& model, const Recipe& recipe,
                                   const std::vector<ShapeScene>& teaching,
                                   const std::vector<ShapeScene>& testing,
                                   std::atomic<float>& progress, const StopFlag& stop = {});

}  // namespace headlight
