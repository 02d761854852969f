#pragma once

#include <optional>

#include "encoder/runner.h"
#include "patches/patches.h"

namespace headlight {

// What a model makes of each patch of an image.
struct PatchFeatures {
    PatchGrid grid;
    Matrix rows;   // [patches, C], in the order of the grid
    Vector image;  // [1, C'] of the image as a whole: see below
};

// Of the first sample: what leaves that layer (an index among all that the model has); without a
// layer what the whole model ends with, which is read by its final norm where that norm reads all
// tokens. Throws as Runner::run() does; RecipeError where there is no such layer, or nothing but
// attention.
//
// The image's own feature is the class token's row after that layer, or without a class token the
// mean of the patches' rows. Without a layer it is what the model pools: the row that its
// classifier reads, or of CLIP the embedding; where it pools nothing, output_row() (ablation.h).
PatchFeatures patch_features(Trace front, const Counterfactual& change, std::optional<int> layer,
                             const StopFlag& stop = {});

}  // namespace headlight
