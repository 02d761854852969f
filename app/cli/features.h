#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/audience.h"
#include "cli/source.h"

// `headlight pca` and `headlight match`: what a model makes of the patches of images, and how alike
// that is.
namespace headlight::cli {

struct FeaturesOptions {
    SourceOptions source;  // its image is left aside
    std::vector<std::string> images;
    std::string layer = "last";  // or a number as parse_layer() takes it
    int components = 3;          // of pca
    std::string foreground;      // of pca: "above:0.6", "below:0.4", or "" for all patches
    std::string out;             // .npy
    bool json = false;           // whether the result is described on standard output
};

// An index, as patch_features() takes it; nothing for "last". Throws UsageError.
std::optional<int> layer_of_features(const std::string& text, const Model& model);

// float32 [images, rows, columns, components]: how far each patch is from the mean of all patches
// along principal_components() of all images together. With a foreground the components are those
// of its patches, and all others are NaN: it has the patches whose place along the first component
// of all, which runs from 0 to 1 over them, is above or below that number. The names of several
// images are beside it in `out`.txt. Throws UsageError where options contradict each other, another
// std::exception of one sentence where the work cannot be done, Stopped.
void write_pca(const FeaturesOptions& options, const Audience& audience);

// float32 [patches of the first, patches of the second]: cosines_between() the patches of two
// images. Throws as write_pca() does.
void write_matches(const FeaturesOptions& options, const Audience& audience);

}  // namespace headlight::cli
