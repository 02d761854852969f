#pragma once

#include "trace/trace.h"

// From a picture to patches, and the soft splits and merges that reduce the number of tokens.
namespace headlight {

// The grid of patches in a picture of this size in pixels; for T2T, the grid of the first soft
// split. Throws PatchError if a grid cannot be cut into windows or merged.
PatchGrid make_grid(const Model& model, int image_height, int image_width,
                    const PatchSettings& settings);

// Stores the input of the first layer, for all samples.
void set_patches(Trace& trace, Matrix patches);

// T2T: applies soft split `level` (from 1) to trace.split_inputs of all samples. Stores the result
// in trace.splits[level] and, as input of the next step, in Tensor::patches.
void compute_split(Trace& trace, int level);

// The grid of tokens at that level (Model::level_of): after soft splits 0..level, or after `level`
// merges. `grid` may be that of any level.
PatchGrid grid_of_level(const Model& model, const PatchGrid& grid, int level);
// The grid of the tokens that enter layer b.
PatchGrid grid_of_layer(const Model& model, const PatchGrid& grid, int b);
// The grid of the rows of Tensor::patches. In models with merges, a later layer has another grid.
PatchGrid grid_of_patches(const Trace& trace);
// The grid at the front of the first layer that is not part of T2T's token transformer.
PatchGrid grid_of_front(const Model& model, const PatchGrid& grid);

TokenLayout layout_of(const Model& model, int layer, const PatchGrid& grid);

}  // namespace headlight
