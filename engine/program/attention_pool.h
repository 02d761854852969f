#pragma once

#include <vector>

#include "trace/node.h"

namespace headlight {

// From the final tokens to Tensor::pooled, by attention of one query that is learned. Requires
// model.attention_pool.
std::vector<Node> attention_pool_nodes(const Model& model, Tensor tokens);

}  // namespace headlight
