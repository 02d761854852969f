#pragma once

#include <vector>

#include "files/tensor_file.h"
#include "files/tensor_reader.h"
#include "model/model.h"

// Weights stored in parts, from which torch.nn.utils computes them at every step.
namespace headlight {

struct PlainWeights {
    TensorFile file;
    std::vector<ModelFact> facts;
};

// The file with these weights computed, under their usual names:
//   weight norm ("Weight Normalization", arXiv 1602.07868): g · v / ‖v‖ over each slice that has
//     its own g; weight_g, weight_v, or parametrizations.weight.original0, original1
//   spectral norm (arXiv 1802.05957) in evaluation: W / (uᵀ W v); weight_orig, weight_u, weight_v,
//     or parametrizations.weight.original, 0._u, 0._v
//   pruning: weight_orig · weight_mask
// DINO's last_layer is left unchanged, because it is not used. Throws Stopped and the exceptions of
// reading.
PlainWeights with_plain_weights(const TensorFile& file, const StopFlag& stop);

// Throws CheckpointError if a weight of the encoder is stored in parts of another form. `at` must
// be at the start of the encoder's names.
void expect_plain_weights(const TensorReader& at);

}  // namespace headlight
