#pragma once

#include <string>

#include "attention/layer.h"
#include "files/tensor_reader.h"
#include "model/model.h"

namespace headlight {

// A single attention layer in one of two namings; a common prefix ("attn.") is accepted:
//   "t2t":  qkv.weight [3C, D], qkv.bias?, proj.weight [C, C], proj.bias?
//   "mha":  in_proj_weight [3C, C], in_proj_bias?, out_proj.weight [C, C], out_proj.bias?
//           (torch.nn.MultiheadAttention), or q_proj_weight, k_proj_weight, v_proj_weight of
//           equal width
// Beside them score.weight [H, rows, cols]? and score.v [H, A]? of a learned score.
//
// Its tensors as they lie in the file.
struct LayerTensors {
    std::string family;       // "t2t" or "mha"
    std::string prefix;       // of its tensors' names
    Linear qkv, projection;   // [3C, D], [C, C]
    ScoreWeights score;       // where there are any
    Skip skip = Skip::value;  // the family's convention: value for t2t, none for mha
};

// Whether there is exactly one name by which an attention layer is known.
bool has_one_layer(const TensorReader& file);

// Throws CheckpointError: no known naming or more than one layer, a missing tensor, a shape that
// does not fit, a weight that is NaN or infinite — naming the tensor, what was expected and what
// was found.
LayerTensors read_layer_tensors(const TensorReader& file);

}  // namespace headlight
