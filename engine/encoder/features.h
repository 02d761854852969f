#pragma once

#include <optional>

#include "encoder/runner.h"
#include "patches/patches.h"

namespace headlight {

// What a model makes of each patch of an image.
struct PatchFeatures {
    PatchGrid grid;
    Matrix rows;  // [patches, C], in the order of the grid
};

// Of the first sample: what leaves that layer (an index among all that the model has); without a
// layer what the whole model ends with, which is read by its final norm where that norm reads all
// tokens. Throws as Runner::run() does; RecipeError where there is no such layer, or nothing but
// attention.
PatchFeatures patch_features(Trace front, const Counterfactual& change, std::optional<int> layer,
                             const StopFlag& stop = {});

}  // namespace headlight
