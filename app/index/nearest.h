#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoder/features.h"
#include "files/file.h"
#include "program/recipe.h"

// A folder as an index: which of its images, or which patches of them, a model finds most similar
// to an image or a patch of it.
namespace headlight {

struct NearestQuestion {
    std::shared_ptr<const Model> model;
    Recipe recipe;               // the settings; its image is the one that others are compared with
    std::optional<int> layer{};  // an index, as patch_features() takes it; none: the model's end
    std::optional<int> patch{};  // of that image; none: images as wholes are compared
    std::vector<std::string> images{};  // files, or scenes as JSON; that image itself is left out
};

struct NearestImage {
    std::string image;
    // Of the features of both images; where a patch is asked for, of that patch and the most
    // similar one of this image. In [-1, 1]; NaN where a feature has NaN.
    float cosine = 0;
    int patch = -1;  // that one; −1 where none is asked for
    PatchGrid grid;  // of its patches
    bool from_cache = false;
};

struct FailedImage {
    std::string image, error;  // one sentence
};

struct NearestFound {
    std::vector<NearestImage> images;  // most similar first; equally similar ones in their order
    std::vector<FailedImage> failed;
    std::string cache_problem;  // one sentence: why features could not be kept; empty: they were
};

struct NearestTools {
    FileReader read_file;
    std::filesystem::path cache{};  // feature_cache_folder(); empty: keep nothing
    // How many images are done; called after each.
    std::function<void(std::size_t)> progress{};
    StopFlag stop{};
};

// One image's features are in memory at a time. Cosines as cosines_between() gives them, so they
// are the same whether features come from the cache or not. What computes the features is
// recognized by the features that it gives of a test picture, so another model, other weights or
// other settings never read those of this one; an image by a hash of its bytes.
//
// Throws RecipeError where the model gives no such features or the image has no such patch, and
// what reading the image throws; Stopped.
NearestFound find_nearest(const NearestQuestion& question, const NearestTools& tools);

}  // namespace headlight
