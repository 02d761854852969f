#pragma once

#include "trace/trace.h"

// From a picture to patches, and T2T's way from tokens to fewer of them.
namespace headlight {

// Where the patches lie in so many pixels; of T2T they are its first soft split. Throws PatchError
// for a picture whose grids cannot be cut into windows or merged.
PatchGrid make_grid(const Model& model, int image_height, int image_width,
                    const PatchSettings& settings);

// What the first layer reads, of all samples.
void set_patches(Trace& trace, Matrix patches);

// T2T: soft split `level`, from 1, of trace.split_inputs of all samples, into trace.splits[level]
// and, as what the next step reads, Tensor::patches.
void compute_split(Trace& trace, int level);

// Where the tokens lie in an image at that level (Model::level_of): after soft splits 0..level, or
// after so many merges. `grid` may be that of any level.
PatchGrid grid_of_level(const Model& model, const PatchGrid& grid, int level);
// Of the tokens that layer b reads.
PatchGrid grid_of_layer(const Model& model, const PatchGrid& grid, int b);
// Of the rows of Tensor::patches, which with merges are not those of a later layer's tokens.
PatchGrid grid_of_patches(const Trace& trace);
// And where the tokens are made: at the front of the first layer that is no token transformer.
PatchGrid grid_of_front(const Model& model, const PatchGrid& grid);

TokenLayout layout_of(const Model& model, int layer, const PatchGrid& grid);

}  // namespace headlight
