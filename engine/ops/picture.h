#pragma once

#include <vector>

#include "trace/trace.h"

// From a picture to patches, and T2T's way from tokens to fewer of them.
namespace headlight {

// T2T: soft split `level` (0: of the image) of all samples, into trace.splits[level] and, as what the
// next step reads, Tensor::patches. Level 0 needs the normalised pixels of each sample as tokens
// [H·W, channels]; the others trace.split_inputs.
void compute_split(Trace& trace, int level, const std::vector<Matrix>& pixels = {});

// Where the tokens lie in an image after soft splits 0..level; `patches` for a model without.
PatchGrid grid_of_level(const Model& model, const PatchGrid& patches, int level);

TokenLayout layout_of(const Model& model, int block, const PatchGrid& grid);

}  // namespace headlight
