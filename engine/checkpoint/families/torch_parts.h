#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/builder.h"

// Shared parts of torch.nn.TransformerEncoder and torch.nn.TransformerDecoder.
namespace headlight {

inline const std::string kSelfAttentionSign = "self_attn.in_proj_weight";
inline const std::string kCrossAttentionSign = "multihead_attn.in_proj_weight";  // decoder layers

struct TorchPlace {
    std::string base;    // prefix of the encoder or decoder
    bool alone = false;  // a single layer with that prefix
};

// Nothing if the file has no such layers, or those of several.
std::optional<TorchPlace> torch_place_of(const TensorReader& file, bool decoder);

bool is_torch_batch_norm(const TensorReader& reader, const std::string& name);

// With bias=False, torch leaves out β.
Norm read_torch_norm(const ModelBuilder& builder, TensorReader& reader, const std::string& name,
                     Index width);

// torch.nn.MultiheadAttention under this name, for tokens of width `dim`, with a residual
// connection.
void read_torch_attention(const ModelBuilder& builder, TensorReader& reader,
                          const std::string& name, Index dim, Layer& layer);

// linear1, the activation and linear2.
void read_torch_mlp(const ModelBuilder& builder, TensorReader& reader, Index dim, Layer& layer);

// Sets the same heads and scale for all layers.
void decide_torch_heads(ModelBuilder& builder, std::vector<Layer>& layers);

// Records facts about a layer with an MLP.
void say_torch_layer(ModelBuilder& builder, const Layer& layer);

// True if it is a batch norm's batch counter, which is not used in evaluation.
bool is_count_of_batches(const TensorReader& file, const std::string& name);

}  // namespace headlight
