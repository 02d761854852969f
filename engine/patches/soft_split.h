#pragma once

#include "kernels/matrix.h"
#include "patches/patches.h"

// T2T's soft split ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1): the tokens are put back
// on their grid, and each of its overlapping windows, kernel × kernel tokens every `stride` tokens
// on a border of `padding` zeros, is written out as one token.
namespace headlight {

// tokens [rows·cols, C] of one sample -> [rows'·cols', C·kernel·kernel], each window listed channel
// first, then row, then column, as torch.nn.Unfold lists the map [C, rows, cols];
// rows' = floor((rows + 2·padding − kernel) / stride) + 1, and cols' likewise.
// Throws PatchError: an extent, kernel or stride < 1, padding < 0 or not below kernel, no room for
// a window, another number of tokens, or more windows, or numbers in one, than an int counts.
Matrix soft_split(const MatrixView& tokens, int rows, int cols, int kernel, int stride,
                  int padding);

// Which pixels the new tokens come from, when those of `grid` are split: a window's stride and size
// in tokens times the pixels of one, and its padding added to the grid's offset. A split of the
// pixels themselves begins with make_patch_grid(height, width, {1, 1}), each pixel a token.
// Throws PatchError as soft_split does, and where the pixels are more than an int counts.
PatchGrid soft_split_grid(const PatchGrid& grid, int kernel, int stride, int padding);

}  // namespace headlight
