#pragma once

#include "model/builder.h"

namespace headlight {

// What all models of timm that have `patch_embed`, `blocks` and `head` share.

// cls_token, dist_token, reg_token or register_tokens, those that there are.
void read_timm_tokens(ModelBuilder& builder, Index width);
// SwiGLU with three products, where the layer has it.
void take_gate_names(LayerNames& names, const TensorReader& layer);
// norm or fc_norm, how tokens are pooled, head and head_dist.
void read_timm_head(ModelBuilder& builder, Index width);

}  // namespace headlight
