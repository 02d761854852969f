#pragma once

#include <string>

#include "model/builder.h"

namespace headlight {

// What the tensors of attention pooling are called; queries, keys and values are one product, or
// the query is one and keys and values another.
struct PoolNames {
    std::string probe = "latent";
    std::string query = "q", key_value = "kv";
    std::string packed_weight, packed_bias;  // instead of both
    std::string projection = "proj", norm = "norm", mlp_in = "mlp.fc1", mlp_out = "mlp.fc2";
};

// `reader` stands where these names begin. After the layers, of whose heads it has as many.
void read_attention_pool(ModelBuilder& builder, TensorReader reader, const PoolNames& names,
                         Index width);

// The model pools so, and it is said.
void pool_by_attention(ModelBuilder& builder, AttentionPool pool);

}  // namespace headlight
