#pragma once

#include <string>

#include "model/builder.h"

// SwiGLU with three linear layers, each a separate tensor.
namespace headlight {

// Sets their names if the layer has a gate.
void take_gated_names(LayerNames& names, const TensorReader& layer, const std::string& gate,
                      const std::string& up, const std::string& down);

// Hugging Face's mlp.gate_proj, mlp.up_proj and mlp.down_proj.
void take_huggingface_gate(LayerNames& names, const TensorReader& layer);

}  // namespace headlight
