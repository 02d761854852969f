#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/model.h"
#include "program/recipe.h"

namespace headlight {

// A layer without norms and MLP.
Layer bare_layer(const AttentionConfig& config, std::shared_ptr<const AttentionWeights> weights);

// The layers that a recipe without a file asks for, each as wide as the one before it gives,
// without weights: they are drawn when the layers are computed.
std::shared_ptr<const Model> layers_to_be_drawn(const Recipe& recipe);

// That layer b of them is drawn from.
std::uint64_t seed_of_layer(std::uint64_t seed, std::size_t b);
// The weights of the configuration's score for so many keys, as such a layer draws them.
ScoreWeights drawn_score(const AttentionConfig& config, Index keys, std::uint64_t seed);

}  // namespace headlight
