#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "encoder/features.h"
#include "files/file.h"
#include "index/feature_cache.h"
#include "program/recipe.h"

namespace headlight {

// What computes the features of an image: a model with its settings.
struct FeatureSettings {
    std::shared_ptr<const Model> model;
    Recipe recipe;               // its image and its scene have no effect
    std::optional<int> layer{};  // an index as patch_features() takes it; empty: the model's end
};

struct FeaturesOfImage {
    PatchFeatures features;
    bool from_cache = false;
};

// Features of image files for one model and its settings, from a disk cache if possible. The
// settings are identified by their features of a test picture, so another model, other weights or
// other settings never use these cached features. An image is identified by a hash of its bytes.
class ImageFeatures {
  public:
    // cache: feature_cache_folder(); empty: no cache. Throws as patch_features() does.
    ImageFeatures(FeatureSettings settings, const std::filesystem::path& cache,
                  const StopFlag& stop = {});

    // `image`: a file, or a scene as JSON. Throws the errors of reading it and of computing its
    // features, and Stopped.
    FeaturesOfImage of_file(const std::string& image, const FileReader& read_file,
                            const StopFlag& stop = {});

    // One sentence: why features could not be stored; empty if they could.
    [[nodiscard]] const std::string& cache_problem() const { return cache_.problem(); }

  private:
    [[nodiscard]] PatchFeatures compute(const Recipe& recipe, const FileBytes& bytes,
                                        const StopFlag& stop) const;
    [[nodiscard]] std::uint64_t key(const StopFlag& stop) const;

    FeatureSettings settings_;
    FeatureCache cache_;
};

}  // namespace headlight
