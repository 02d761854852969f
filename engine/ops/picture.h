#pragma once

#include "trace/trace.h"

// From a picture to patches, and T2T's way from tokens to fewer of them.
namespace headlight {

// Where the patches lie in so many pixels; of T2T they are its first soft split.
PatchGrid make_grid(const Model& model, int image_height, int image_width,
                    const PatchSettings& settings);

// What the first layer reads, of all samples.
void set_patches(Trace& trace, Matrix patches);

// T2T: soft split `level`, from 1, of trace.split_inputs of all samples, into trace.splits[level]
// and, as what the next step reads, Tensor::patches.
void compute_split(Trace& trace, int level);

// Where the tokens lie in an image after soft splits 0..level; `patches` for a model without.
PatchGrid grid_of_level(const Model& model, const PatchGrid& patches, int level);

TokenLayout layout_of(const Model& model, int layer, const PatchGrid& grid);

}  // namespace headlight
