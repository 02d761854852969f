#pragma once

#include "kernels/matrix.h"
#include "patches/token_grid.h"
#include "positions/positions.h"

// Relative position bias, as in BEiT (arXiv 2106.08254) and Swin (arXiv 2103.14030, section 3.2): a
// learned number for every head and every offset between two patches, added to their score.
namespace headlight {

// Number of rows of the table for an r × c grid: (2r − 1) · (2c − 1), one per offset (query minus
// key). Row offsets run from −(r − 1) to r − 1, and for each of them column offsets from −(c − 1)
// to c − 1. BEiT's tables have three more rows: from the class token to a patch, from a patch to
// the class token, and from the class token to itself.
Index relative_offsets(int rows, int cols);

// The slope of head h of H, counted from 0: 2^(−8 (h + 1) / H), as in ALiBi (arXiv 2108.12409,
// section 3). The first head attends only to nearby tokens, the last one to nearly all.
double distance_slope(Index head, Index heads);

// An untrained table [relative_offsets, H], with three more rows if there are tokens before the
// patches. Drawn: N(0, 1), different for every layer. By distance: −slope times the Euclidean
// distance of the two patches (ALiBi in two dimensions, as in CROMA, arXiv 2311.00566), and 0 for
// pairs with other tokens. Both are multiplied by the strength. Throws PositionError if the tokens
// have no grid, or if the strength is not finite.
Matrix made_bias_table(const BiasChoice& choice, int layer, const TokenGrid& places, Index tokens,
                       Index heads);

// Expands a table, with or without the three more rows, to all pairs of tokens: [H·N, N]. All
// tokens before the patches count as class tokens. Throws PositionError if the tokens do not form a
// grid of that size, or if the three rows are missing or not needed.
Matrix relative_bias(const MatrixView& table, int rows, int cols, const TokenGrid& places,
                     Index tokens);

}  // namespace headlight
