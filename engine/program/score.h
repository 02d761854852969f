#pragma once

#include <vector>

#include "program/program.h"

namespace headlight {

// From queries and keys to Tensor::products, as the layer's score has it: what it takes in their
// places, and what it makes of both.
std::vector<Node> score_nodes(const Layer& layer, const AttentionConfig& config);

// From queries and keys to Tensor::attention by random features, as a performer approximates the
// softmax: "Rethinking Attention with Performers", arXiv 2009.14794, equation 5, in the form of
// T2T-ViT's Token_performer, whose queries and keys are not scaled.
std::vector<Node> performer_nodes(const Layer& layer);

// Throws AttentionError where the layer has not the weights that the score of the configuration
// needs, or has them in other shapes; `whose` begins the sentence. How many keys there are is seen
// when it is computed.
void expect_score_weights(const Layer& layer, const AttentionConfig& config,
                          const std::string& whose);

}  // namespace headlight
