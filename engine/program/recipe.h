#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/rollout.h"
#include "attention/layer.h"
#include "attention/mask.h"
#include "image/preprocessing.h"
#include "model/model.h"
#include "patches/patches.h"
#include "positions/positions.h"
#include "program/head_place.h"
#include "scene/scene.h"
#include "tokens/token_source.h"

namespace headlight {

// How patches for a bare layer are cut. Default size: that of its file. Default stride: the size.
struct PatchChoice {
    std::optional<int> size, stride;
    Ragged ragged = Ragged::pad;

    friend bool operator==(const PatchChoice&, const PatchChoice&) = default;
};

inline constexpr int kUsualHeads = 4;  // of a drawn layer

// Learned queries that belong to no token: object queries of DETR (arXiv 2005.12872, section 3.2),
// latents of Perceiver (arXiv 2103.03206), seeds of attention pooling (Set Transformer, arXiv
// 1810.00825, section 3.2). Keys and values are computed from the picture's tokens.
inline constexpr int kMostQueries = 256, kUsualQueries = 8;

// Everything that determines the numbers of a walk. Plain data: equal recipes give equal traces.
// Empty optionals are left to the model.
struct Recipe {
    std::string image;                // path of the image file
    std::optional<ShapeScene> scene;  // instead of a file: drawn at the model's input size
    TokenSource tokens;               // instead of a picture
    std::optional<int> image_height, image_width;
    std::optional<Framing> framing;
    std::optional<Alpha> alpha;
    std::optional<std::array<float, 3>> mean, std;
    PositionChoice position;
    std::optional<float> scale;
    float temperature = 1.0F;
    MaskRules mask;
    std::vector<HeadPlace> switched_off;  // heads whose output is zero, each once, in ascending
                                          // order

    std::string weights;  // a checkpoint; empty: a bare layer drawn from the seed
    int reading = 0;      // change it to load the file again, which may have changed
    ModelOptions model;   // what the model's file does not contain
    int layer = 0;        // index of the selected block
    std::optional<RolloutSettings> rollout;  // over all layers; none: not computed

    // Only for bare layers; a whole model decides these itself.
    std::optional<bool> grey;
    PatchChoice patches;
    std::optional<int> heads;
    std::optional<Skip> skip;
    AttentionVariant variant;
    std::optional<int> queries;    // number of learned queries; none: each token is its own query
    std::uint64_t query_seed = 0;  // for learned queries
    // Only for bare layers drawn from the seed; a file decides these itself.
    int layers = 1;
    int channels = 64;
    std::optional<int> value_channels, outputs;  // if they differ from `channels`
    bool qkv_bias = false;
    std::uint64_t seed = 0;

    friend bool operator==(const Recipe&, const Recipe&) = default;
};

// True if keys and values are computed from other tokens than queries.
inline bool is_cross(const Recipe& recipe) {
    return recipe.queries || gives_queries(recipe.tokens);
}

// The recipe's preprocessing, completed by the model's. Another input size shows the same part of
// the picture (with_frame). A framing other than the model's fills the input size.
Preprocessing preprocessing_of(const Recipe& recipe, const Model& model);

// The number of channels and the size of patches. Only a bare layer follows the recipe.
bool is_grey(const Recipe& recipe, const Model& model);
PatchSettings patches_of(const Recipe& recipe, const Model& model);
// Numbers in one token of a bare layer: of a patch, or of a given token (with two kinds, of a
// query). Sizes that overflow are refused when the patches are cut, before this number is used.
int token_numbers(const Recipe& recipe, const Model& model);

}  // namespace headlight
