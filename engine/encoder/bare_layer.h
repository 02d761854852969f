#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/model.h"
#include "program/recipe.h"

namespace headlight {

// A layer without norms and MLP.
Layer bare_layer(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights);

// A model of the layers in a recipe without a file. The input width of each layer is the output
// width of the layer before. The weights are missing; they are drawn when the layers are computed.
std::shared_ptr<const Model> layers_to_be_drawn(const Recipe& recipe);

// The seed for the weights of layer b of such a model.
std::uint64_t seed_of_layer(std::uint64_t seed, std::size_t b);
// Draws the weights of the configuration's score for this number of keys.
ScoreWeights drawn_score(const AttentionConfig& config, Index keys, std::uint64_t seed);

}  // namespace headlight
