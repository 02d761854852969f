#pragma once

#include <vector>

#include "files/tensor_file.h"
#include "files/tensor_reader.h"
#include "model/model.h"

// Weights that a file keeps in parts, from which torch.nn.utils computes them at every step.
namespace headlight {

struct PlainWeights {
    TensorFile file;
    std::vector<ModelFact> facts;
};

// The file with these weights multiplied out, under the names that they have without it:
//   weight norm ("Weight Normalization", arXiv 1602.07868): g · v / ‖v‖ over each slice that has a
//   g of its own; weight_g, weight_v, or parametrizations.weight.original0, original1 spectral norm
//   (arXiv 1802.05957) in evaluation: W / (uᵀ W v); weight_orig, weight_u, weight_v, or
//   parametrizations.weight.original, 0._u, 0._v
//   pruning: weight_orig · weight_mask
// DINO's last_layer stays as it is, for nothing computes it. Throws Stopped; what reading throws.
PlainWeights with_plain_weights(const TensorFile& file, const StopFlag& stop);

// Throws CheckpointError where a weight of the encoder is kept in parts of another form. `at`
// stands where the encoder's names begin.
void expect_plain_weights(const TensorReader& at);

}  // namespace headlight
