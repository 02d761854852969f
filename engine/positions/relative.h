#pragma once

#include "kernels/matrix.h"
#include "patches/token_grid.h"

// Relative position bias, as in BEiT (arXiv 2106.08254) and Swin (arXiv 2103.14030, section 3.2): a
// learned number for every head and every offset of two patches, added to their score.
namespace headlight {

// Of a grid r × c the table has a row for each offset, (2r − 1) · (2c − 1) of them: that of query
// minus key, from −(r − 1) to r − 1 rows and within them from −(c − 1) to c − 1 columns; then three
// more: from the class token to a patch, from a patch to it, and from it to itself.
Index relative_offsets(int rows, int cols);

// table [relative_offsets + 3, H] spread over all pairs of tokens, [H·N, N]. Throws PositionError
// where the tokens are not a class token and a grid of that size.
Matrix relative_bias(const MatrixView& table, int rows, int cols, const TokenGrid& places,
                     Index tokens);

}  // namespace headlight
