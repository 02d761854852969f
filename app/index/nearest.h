#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/number_table.h"
#include "encoder/features.h"
#include "files/file.h"
#include "index/image_features.h"
#include "program/recipe.h"

// Searches a folder for the images, or patches of them, that a model finds most similar to an image
// or one of its patches.
namespace headlight {

struct NearestQuestion {
    std::shared_ptr<const Model> model;
    Recipe recipe;               // settings, and the query image
    std::optional<int> layer{};  // an index as patch_features() takes it; empty: the model's end
    std::optional<int> patch{};  // of the query image; empty: compares whole images
    std::vector<std::string> images{};  // files, or scenes as JSON; the query image is skipped
};

struct NearestImage {
    std::string image;
    // Cosine between the features of both images; with a patch, between that patch and the most
    // similar one of this image. In [-1, 1]; NaN if a feature has NaN.
    float cosine = 0;
    int patch = -1;  // the most similar patch; −1 if whole images are compared
    PatchGrid grid;  // of its patches
    bool from_cache = false;

    // Of the patch, from 1.
    [[nodiscard]] int row() const { return patch / grid.cols + 1; }
    [[nodiscard]] int column() const { return patch % grid.cols + 1; }
};

struct FailedImage {
    std::string image, error;  // one sentence
};

struct NearestFound {
    std::vector<NearestImage> images;  // most similar first; ties in their original order
    std::vector<FailedImage> failed;
    std::string cache_problem;  // one sentence: why features could not be stored
};

struct NearestTools {
    FileReader read_file;
    std::filesystem::path cache{};  // feature_cache_folder(); empty: no cache
    // Called after each image with the number of images done.
    std::function<void(std::size_t)> progress{};
    StopFlag stop{};
};

// Holds one image's features in memory at a time. Cosines are computed by cosines_between(), so
// they are the same with and without the cache (image_features.h).
//
// Throws RecipeError if the model gives no such features or the image has no such patch, the errors
// of reading the image, and Stopped.
NearestFound find_nearest(const NearestQuestion& question, const NearestTools& tools);

// The parts of such a search. `asked`: the query image's features.
//
// Throws RecipeError if the image has no such patch.
void expect_patch(const std::optional<int>& patch, const PatchFeatures& asked);
// Throws AnalysisError if the features differ in width.
NearestImage compare_with(const PatchFeatures& asked, const std::optional<int>& patch,
                          const std::string& image, const FeaturesOfImage& with);
// Adds what `compare` returns or, if it throws, the image and the error. Stopped and lack of memory
// are passed on.
void add_image(NearestFound& found, const std::string& image,
               const std::function<NearestImage()>& compare);
// Orders by cosine, the largest first; NaN comes last.
bool is_more_similar(const NearestImage& a, const NearestImage& b);

// One row for each image: image and cosine and, if patches were compared, token, row and column of
// its most similar patch. Tokens count from 0, rows and columns from 1.
// prefix: tokens before the patches; empty if whole images were compared.
NumberTable table_of(const std::vector<NearestImage>& images, std::optional<Index> prefix);

}  // namespace headlight
