#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/rollout.h"
#include "attention/layer.h"
#include "checkpoint/model.h"
#include "encoder/head_place.h"
#include "image/preprocessing.h"
#include "patches/patches.h"
#include "positions/positions.h"
#include "scene/scene.h"
#include "trace/steps.h"

namespace headlight {

// Everything that decides the numbers of a walk. Plain data: two equal recipes give equal traces.
// What is not set (an empty optional) is left to the model.
struct Recipe {
    std::string image;                // name of the image file
    std::optional<ShapeScene> scene;  // instead of a file: drawn in the size that the model reads
    std::optional<int> image_height, image_width;
    std::optional<Framing> framing;
    std::optional<std::array<float, 3>> mean, std;
    PositionKind position = PositionKind::model;
    std::optional<float> scale;
    float temperature = 1.0F;
    std::vector<HeadPlace> switched_off;  // heads that give zero, each once, in ascending order

    std::string weights;  // a checkpoint; empty: a bare layer drawn from the seed
    ModelOptions model;   // what its file cannot say
    int layer = 0;        // of the model's blocks: the one that is looked at
    std::optional<RolloutSettings> rollout;  // over all layers; none: not computed

    // A bare layer alone; a whole model decides these itself. A bare layer's file decides channels
    // and bias.
    bool grey = false;
    PatchSettings patches;
    int channels = 64;
    int heads = 4;
    bool qkv_bias = false;
    Skip skip = Skip::value;
    std::uint64_t seed = 0;

    friend bool operator==(const Recipe&, const Recipe&) = default;
};

// What the recipe says of the picture, and for the rest the model. A size of one's own fills the
// frame: the model's `resize` belongs to its own size.
Preprocessing preprocessing_of(const Recipe& recipe, const Model& model);

// The first step whose result differs between two recipes; nothing where they are equal. In a model
// of several layers, a change within the layers begins with the first of them.
std::optional<Step> first_changed_step(const Recipe& before, const Recipe& after);

// The two differ in nothing but the layer that is looked at.
bool same_but_layer(const Recipe& a, const Recipe& b);

}  // namespace headlight
