#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/model.h"
#include "program/recipe.h"

namespace headlight {

// How well a patch's row and column can be read off the stream, by a linear map for each layer that
// some scenes taught (analysis/readout.h).
struct SceneReadout {
    // R² on the other scenes: of what enters the first layer, then of what each layer leaves. NaN
    // where there is one row, or one column, alone.
    std::vector<double> row, column;
    int taught = 0, tested = 0;  // scenes
    Index patches = 0;           // of each
};

// The model on scenes that teach, and on others that test. What the recipe changes is changed in
// them, too. Requires one of each at least. progress: 0..1. Throws RecipeError for a model that
// reads no pictures, or whose first layers are not of the later ones' patches; else as
// Runner::run() does; Stopped when told to stop.
SceneReadout read_places_of_scenes(const std::shared_ptr<const Model>& model, const Recipe& recipe,
                                   const std::vector<ShapeScene>& teaching,
                                   const std::vector<ShapeScene>& testing,
                                   std::atomic<float>& progress, const StopFlag& stop = {});

}  // namespace headlight
