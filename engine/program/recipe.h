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

// How a bare layer's patches are cut; a size that is not set is its file's, a stride the size.
struct PatchChoice {
    std::optional<int> size, stride;
    Ragged ragged = Ragged::pad;

    friend bool operator==(const PatchChoice&, const PatchChoice&) = default;
};

inline constexpr int kUsualHeads = 4;  // of a layer that is drawn

// Queries that are learned and belong to no token: object queries of DETR (arXiv 2005.12872,
// section 3.2), latents of Perceiver (arXiv 2103.03206), the seeds of attention pooling (Set
// Transformer, arXiv 1810.00825, section 3.2). The keys and values that they meet are made of the
// picture's tokens.
inline constexpr int kMostQueries = 256, kUsualQueries = 8;

// Everything that decides the numbers of a walk. Plain data: two equal recipes give equal traces.
// What is not set (an empty optional) is left to the model.
struct Recipe {
    std::string image;                // name of the image file
    std::optional<ShapeScene> scene;  // instead of a file: drawn in the size that the model reads
    TokenSource tokens;               // instead of a picture
    std::optional<int> image_height, image_width;
    std::optional<Framing> framing;
    std::optional<Alpha> alpha;
    std::optional<std::array<float, 3>> mean, std;
    PositionChoice position;
    std::optional<float> scale;
    float temperature = 1.0F;
    MaskRules mask;
    std::vector<HeadPlace> switched_off;  // heads that give zero, each once, in ascending order

    std::string weights;  // a checkpoint; empty: a bare layer drawn from the seed
    int reading = 0;      // another number reads that file again: it may hold others by now
    ModelOptions model;   // what its file cannot say
    int layer = 0;        // of the model's blocks: the one that is looked at
    std::optional<RolloutSettings> rollout;  // over all layers; none: not computed

    // A bare layer alone; a whole model decides these itself.
    std::optional<bool> grey;
    PatchChoice patches;
    std::optional<int> heads;
    std::optional<Skip> skip;
    AttentionVariant variant;
    std::optional<int> queries;    // so many learned ones; none: each token is its own
    std::uint64_t query_seed = 0;  // that they are drawn from
    // Bare layers drawn from the seed; a file decides these too.
    int layers = 1;
    int channels = 64;
    std::optional<int> value_channels, outputs;  // where they are not `channels`
    bool qkv_bias = false;
    std::uint64_t seed = 0;

    friend bool operator==(const Recipe&, const Recipe&) = default;
};

// Keys and values are made of other tokens than queries.
inline bool is_cross(const Recipe& recipe) {
    return recipe.queries || gives_queries(recipe.tokens);
}

// What the recipe says of the picture, and for the rest the model. A frame of another size shows
// the same share of the picture (with_frame). Another framing than the model's fills the frame.
Preprocessing preprocessing_of(const Recipe& recipe, const Model& model);

// How many channels the patches have and how they are cut. Only a bare layer listens to the recipe.
bool is_grey(const Recipe& recipe, const Model& model);
PatchSettings patches_of(const Recipe& recipe, const Model& model);
// Of one token of a bare layer: of a patch, or of what is given (of two kinds of a query). Sizes
// that overflow are refused when the patches are cut, before anything reads this.
int token_numbers(const Recipe& recipe, const Model& model);

}  // namespace headlight
