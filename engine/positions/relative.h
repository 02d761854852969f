#pragma once

#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "positions/positions.h"

// Relative position bias, as in BEiT (arXiv 2106.08254) and Swin (arXiv 2103.14030, section 3.2): a
// learned number for every head and every offset of two patches, added to their score.
namespace headlight {

// Of a grid r × c the table has a row for each offset, (2r − 1) · (2c − 1) of them: that of query
// minus key, from −(r − 1) to r − 1 rows and within them from −(c − 1) to c − 1 columns; then three
// more: from the class token to a patch, from a patch to it, and from it to itself.
Index relative_offsets(int rows, int cols);

// The slope of head h of H, counted from 0: 2^(−8 (h + 1) / H), as in ALiBi (arXiv 2108.12409,
// section 3), so that the first head sees nearby alone and the last one nearly everything.
double distance_slope(Index head, Index heads);

// A table that nothing was trained for, [relative_offsets, H], and where tokens stand before the
// patches three rows more. Drawn: N(0, 1), other numbers for every layer. By distance: −slope times
// the Euclidean distance of the two patches, ALiBi in two dimensions (CROMA, arXiv 2311.00566), and
// 0 for pairs that are not of patches. Both times the strength. Throws PositionError where nothing
// says how the tokens lie, or for a strength that is not finite.
Matrix made_bias_table(const BiasChoice& choice, int layer, const TokenGrid& places, Index tokens,
                       Index heads);

// A table, with three more rows or without, spread over all pairs of tokens, [H·N, N]; all tokens
// before the patches count as class tokens. Throws PositionError where the tokens do not lie in a
// grid of that size, or where the last three rows are missing or are for nobody.
Matrix relative_bias(const MatrixView& table, int rows, int cols, const TokenGrid& places,
                     Index tokens);

}  // namespace headlight
