#pragma once

#include <vector>

#include "trace/node.h"

namespace headlight {

// The nodes from the final tokens to Tensor::pooled, by attention with one learned query. Requires
// model.attention_pool.
std::vector<Node> attention_pool_nodes(const Model& model, Tensor tokens);

}  // namespace headlight
