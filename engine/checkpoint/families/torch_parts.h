#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/builder.h"

// What the layers of torch.nn.TransformerEncoder and torch.nn.TransformerDecoder have in common.
namespace headlight {

inline const std::string kSelfAttentionSign = "self_attn.in_proj_weight";
inline const std::string kCrossAttentionSign = "multihead_attn.in_proj_weight";  // decoder layers

struct TorchPlace {
    std::string base;    // where the names of the encoder or decoder begin
    bool alone = false;  // one layer, which stands there itself
};

// Nothing where the file has none of its layers, or those of several.
std::optional<TorchPlace> torch_place_of(const TensorReader& file, bool decoder);

bool is_torch_batch_norm(const TensorReader& reader, const std::string& name);

// With bias=False torch leaves β out.
Norm read_torch_norm(const ModelBuilder& builder, TensorReader& reader, const std::string& name,
                     Index width);

// torch.nn.MultiheadAttention under this name, of tokens `dim` wide, with a residual connection.
void read_torch_attention(const ModelBuilder& builder, TensorReader& reader,
                          const std::string& name, Index dim, Layer& layer);

// linear1, the activation and linear2.
void read_torch_mlp(const ModelBuilder& builder, TensorReader& reader, Index dim, Layer& layer);

// The same heads and scale in all layers.
void decide_torch_heads(ModelBuilder& builder, std::vector<Layer>& layers);

// Facts about a layer that has an MLP.
void say_torch_layer(ModelBuilder& builder, const Layer& layer);

// Whether it is a batch norm's count of batches, which nothing is computed with.
bool is_count_of_batches(const TensorReader& file, const std::string& name);

}  // namespace headlight
