#pragma once

#include <vector>

#include "program/program.h"

namespace headlight {

// From queries and keys to Tensor::products, for the layer's kind of score: its preparation of
// queries and keys, and their combination.
std::vector<Node> score_nodes(const Layer& layer, const AttentionConfig& config);

// From queries and keys to Tensor::attention by random features, as a Performer approximates
// softmax: "Rethinking Attention with Performers", arXiv 2009.14794, equation 5. As in T2T-ViT's
// Token_performer, queries and keys are not scaled.
std::vector<Node> performer_nodes(const Layer& layer);

// Throws AttentionError if the layer lacks the weights that the configuration's score needs, or if
// their shapes are wrong; the message starts with `whose`. The number of keys is only checked when
// the score is computed.
void expect_score_weights(const Layer& layer, const AttentionConfig& config,
                          const std::string& whose);

}  // namespace headlight
