#pragma once

#include <optional>

#include "encoder/runner.h"
#include "patches/patches.h"

namespace headlight {

// The feature vectors of an image's patches.
struct PatchFeatures {
    PatchGrid grid;
    Matrix rows;   // [patches, C], in the order of the grid
    Vector image;  // [1, C'], of the whole image; see below
};

// Features of the first sample. `rows` is the output of the layer `layer` (index among all layers
// of the model). If `layer` is empty, `rows` is the output of the last layer, after the final norm
// if that norm applies to all tokens. Throws RecipeError if there is no such layer or if the model
// is attention maps only, and as Runner::run() does.
//
// `image` is the class token's row after that layer, or without a class token the mean of the
// patches' rows. If `layer` is empty, `image` is what the model pools: the input of the classifier,
// or CLIP's embedding. If the model does not pool, it is output_row() (ablation.h).
PatchFeatures patch_features(Trace front, const Counterfactual& change, std::optional<int> layer,
                             const StopFlag& stop = {});

}  // namespace headlight
