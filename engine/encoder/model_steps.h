#pragma once

#include "positions/positions.h"
#include "trace/trace.h"

// What stands before the first layer and after the last, one function for each step.
namespace headlight {

// Computes a step before the layers, from the patches on (Step::embed to Step::pre_norm), for all
// samples of the batch. The model, the batch, the grid of the patches and they themselves must be
// set. `positions` false: the model's table is left out.
void compute_front_step(Trace& trace, Step step, PositionKind positions);

// Computes a step after the last layer (Step::norm and later). Tensor::encoded must be set.
void compute_end_step(Trace& trace, Step step);

// T2T: soft split `level` (0: of the image) of all samples, into trace.splits[level]. Level 0 needs
// the normalised pixels of each sample as tokens [H·W, channels]; the others trace.split_inputs.
void compute_split(Trace& trace, int level, const std::vector<Matrix>& pixels = {});

// Where the tokens lie in an image after soft splits 0..level; `patches` for a model without.
PatchGrid grid_of_level(const Model& model, const PatchGrid& patches, int level);

TokenLayout layout_of(const Model& model, int block, const PatchGrid& grid);

}  // namespace headlight
