#pragma once

#include "kernels/matrix.h"
#include "patches/patches.h"

// T2T's soft split ("Tokens-to-Token ViT", arXiv 2101.11986, section 3.1). The tokens are arranged
// on their grid again, and each overlapping window of it becomes one token. A window has kernel ×
// kernel tokens; windows are `stride` tokens apart, on a grid with a border of `padding` zeros.
namespace headlight {

// tokens [rows·cols, C] of one sample -> [rows'·cols', C·kernel·kernel]. Each window is ordered by
// channel, then row, then column, as torch.nn.Unfold does with the map [C, rows, cols].
// rows' = floor((rows + 2·padding − kernel) / stride) + 1, and cols' likewise.
// Throws PatchError for an extent, kernel or stride < 1, padding < 0 or >= kernel, no room for a
// window, a wrong number of tokens, and more windows, or numbers in a window, than fit in an int.
Matrix soft_split(const MatrixView& tokens, int rows, int cols, int kernel, int stride,
                  int padding);

// The pixels that the new tokens cover when the tokens of `grid` are split. A window's stride and
// size in tokens are multiplied by the pixels of a token, and its padding is added to the grid's
// offset. To split the pixels themselves, start with make_patch_grid(height, width, {1, 1}), where
// each pixel is a token. Throws PatchError as soft_split does, and if the pixels do not fit in an
// int.
PatchGrid soft_split_grid(const PatchGrid& grid, int kernel, int stride, int padding);

}  // namespace headlight
