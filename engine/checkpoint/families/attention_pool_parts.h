#pragma once

#include <string>

#include "model/builder.h"

namespace headlight {

// The names of the tensors of attention pooling. Queries, keys and values have one linear layer, or
// the query has one and keys and values have another.
struct PoolNames {
    std::string probe = "latent";
    std::string query = "q", key_value = "kv";
    std::string packed_weight, packed_bias;  // used instead of both
    std::string projection = "proj", norm = "norm", mlp_in = "mlp.fc1", mlp_out = "mlp.fc2";
};

// `reader` must be at the start of these names. Call after the layers, whose number of heads it
// uses.
void read_attention_pool(ModelBuilder& builder, TensorReader reader, const PoolNames& names,
                         Index width);

// Sets the model's pooling and records it.
void pool_by_attention(ModelBuilder& builder, AttentionPool pool);

}  // namespace headlight
