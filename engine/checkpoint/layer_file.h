#pragma once

#include <string>
#include <vector>

#include "attention/layer.h"
#include "checkpoint/safetensors.h"

namespace headlight {

// One fact about a model and where it came from, as `headlight info` prints it.
struct ModelFact {
    std::string what, value, origin;
};

// A single attention layer read from a file, in one of two namings:
//   "t2t":  qkv.weight [3C, D], qkv.bias?, proj.weight [C, C], proj.bias?
//   "mha":  in_proj_weight [3C, C], in_proj_bias?, out_proj.weight [C, C], out_proj.bias?
//           (torch.nn.MultiheadAttention), or q_proj_weight, k_proj_weight, v_proj_weight of
//           equal width
struct LayerFile {
    std::string family;  // "t2t" or "mha"
    AttentionWeights weights;
    int dim = 0, channels = 0;
    bool has_bias = false;
    std::int64_t parameters = 0;
    Skip skip = Skip::value;           // the family's convention: value for t2t, none for mha
    std::vector<std::string> ignored;  // tensors of the file that the layer does not use
};

// Throws CheckpointError: no known naming or more than one layer, a missing tensor, a shape that
// does not fit, a weight that is NaN or infinite, a tensor with which the layer computes something
// else (bias_k, q_norm, ...) — naming the tensor, what was expected and what was found. A common
// prefix ("attn.") is accepted.
LayerFile read_layer(const TensorMap& tensors, const std::string& name);

}  // namespace headlight
