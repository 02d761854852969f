#include "families/gate_parts.h"

namespace headlight {

void take_gated_names(LayerNames& names, const TensorReader& layer, const std::string& gate,
                      const std::string& up, const std::string& down) {
    if (!layer.has(gate + ".weight")) return;
    names.mlp_gate = gate;
    names.mlp_in = up;
    names.mlp_out = down;
}

void take_huggingface_gate(LayerNames& names, const TensorReader& layer) {
    take_gated_names(names, layer, "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj");
}

}  // namespace headlight
