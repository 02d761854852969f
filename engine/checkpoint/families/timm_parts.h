#pragma once

#include "model/builder.h"

namespace headlight {

// Shared parts of all timm models with `patch_embed`, `blocks` and `head`.

// Reads cls_token, dist_token, and reg_token or register_tokens, if they exist.
void read_timm_tokens(ModelBuilder& builder, Index width);
// SwiGLU with three linear layers, if the layer has it.
void take_gate_names(LayerNames& names, const TensorReader& layer);
// norm or fc_norm, pooling, head and head_dist.
void read_timm_head(ModelBuilder& builder, Index width);

}  // namespace headlight
