#pragma once

#include <optional>
#include <string>

#include "attention/layer.h"
#include "files/tensor_reader.h"
#include "model/model.h"

namespace headlight {

// A single attention layer in one of these namings; a common prefix ("attn.") is accepted:
//   "t2t":  qkv.weight [3C, D], qkv.bias?, proj.weight [C, C], proj.bias?
//   "mha":  in_proj_weight [3C, C], in_proj_bias?, out_proj.weight [C, C], out_proj.bias?
//           (torch.nn.MultiheadAttention), or q_proj_weight [C, C], k_proj_weight [C, kdim],
//           v_proj_weight [C, vdim]
//   "kqvl": K.weight [C, D], Q.weight [C, D], V.weight [V, D], L.weight [O, V], each with a bias?,
//           as in notebooks that write the layer from scratch
//   "mhsa": key_lyr.0.weight [C, D], query_lyr.0.weight, value_lyr.0.weight, out_layer.1.weight
//           [O, C] and its bias, LearnOpenCV's layer: its key acts as the query and its query as
//           the key, and its scale is that of all heads together
//   "keras": query/kernel [D, H, K], key/kernel, value/kernel [D, H, V], attention_output/kernel
//           [H, V, O], each with its bias, Keras' MultiHeadAttention
//   "convolutions": query/kernel [1, 1, C, d], key/kernel, value/kernel, feature_map/kernel
//           [1, 1, v, O], each with a bias?: 1×1 convolutions on a feature map, one head
// In namings with three separate weights, keys and values may take tokens of other widths than
// queries. A learned score adds score.weight [H, rows, cols]? and score.v [H, A]?.
//
// The tensors as stored in the file.
struct LayerTensors {
    std::string family;                // "t2t", "mha", "kqvl", "mhsa", "keras" or "convolutions"
    std::string prefix;                // prefix of its tensors' names
    Linear qkv, projection;            // [2C + V, D], [O, V]
    Linear key_value;                  // [C + V, D'], if D' differs from D; qkv is then [C, D]
    std::optional<int> key_token_dim;  // as in AttentionConfig
    std::optional<int> heads;          // if the shapes show it
    std::optional<float> scale;        // if it is not head_dim^-0.5
    ScoreWeights score;                // if there are any
    Skip skip = Skip::value;           // the family's convention: value for t2t, none for others
};

// True if the name that identifies an attention layer occurs exactly once.
bool has_one_layer(const TensorReader& file);

// Throws CheckpointError, with the tensor, what was expected and what was found, for an unknown
// naming or several layers, a missing tensor, a shape that does not fit, and a NaN or infinite
// weight.
LayerTensors read_layer_tensors(const TensorReader& file);

}  // namespace headlight
