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
//   as
//           notebooks write the layer from scratch
//   "mhsa": key_lyr.0.weight [C, D], query_lyr.0.weight, value_lyr.0.weight, out_layer.1.weight
//           [O, C] and its bias, LearnOpenCV's layer: what it calls key plays the query and what it
//           calls query the key, and its scale is that of all heads together
//   "keras": query/kernel [D, H, K], key/kernel, value/kernel [D, H, V], attention_output/kernel
//           [H, V, O], each with its bias, Keras' MultiHeadAttention
//   "convolutions": query/kernel [1, 1, C, d], key/kernel, value/kernel, feature_map/kernel
//           [1, 1, v, O], each with a bias?: 1×1 convolutions on a feature map, one head
// Of those that keep three weights apart, keys and values may read tokens of other widths than
// queries.
// Beside them score.weight [H, rows, cols]? and score.v [H, A]? of a learned score.
//
// Its tensors as they lie in the file.
struct LayerTensors {
    std::string family;                // "t2t", "mha", "kqvl", "mhsa", "keras" or "convolutions"
    std::string prefix;                // of its tensors' names
    Linear qkv, projection;            // [2C + V, D], [O, V]
    Linear key_value;                  // [C + V, D'], where D' is not D: then qkv is [C, D]
    std::optional<int> key_token_dim;  // as AttentionConfig has it
    std::optional<int> heads;          // where the shapes say it
    std::optional<float> scale;        // where it is not head_dim^-0.5
    ScoreWeights score;                // where there are any
    Skip skip = Skip::value;           // the family's convention: value for t2t, none for others
};

// Whether there is exactly one name by which an attention layer is known.
bool has_one_layer(const TensorReader& file);

// Throws CheckpointError: no known naming or more than one layer, a missing tensor, a shape that
// does not fit, a weight that is NaN or infinite — naming the tensor, what was expected and what
// was found.
LayerTensors read_layer_tensors(const TensorReader& file);

}  // namespace headlight
