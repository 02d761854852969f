#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/source.h"

// `headlight pca` and `headlight match`: a model's features of image patches, and their similarity.
namespace headlight::cli {

struct FeaturesOptions {
    SourceOptions source;  // its image is not used
    std::vector<std::string> images;
    std::string layer = "last";  // or a number as parse_layer() takes it
    int components = 3;          // for pca
    std::string foreground;      // for pca: "above:0.6", "below:0.4", or "" for all patches
    std::string region;  // for pca: a mask or a folder of masks (mask_of()), or "" for all patches
    std::string out;     // .npy
    bool json = false;   // describe the result on standard output
};

// A layer index as patch_features() takes it; empty for "last". Throws UsageError.
std::optional<int> layer_of_features(const std::string& text, const Model& model);

// Writes float32 [images, rows, columns, components]: projections of each patch, relative to the
// mean of all patches, on principal_components() of all images together. With a foreground, the
// components are those of its patches, and other patches are NaN. The foreground has the patches
// whose first component over all patches, scaled to 0..1, is above or below the given number. With
// a region, the foreground has the patches inside the masks. For several images, `out`.txt lists
// their names. Throws UsageError for contradictory options, another
// std::exception with one sentence if the work fails, and Stopped.
void write_pca(const FeaturesOptions& options, const Audience& audience);

// float32 [patches of the first, patches of the second]: cosines_between() the patches of two
// images. Throws as write_pca() does.
void write_matches(const FeaturesOptions& options, const Audience& audience);

}  // namespace headlight::cli
