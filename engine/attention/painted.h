#pragma once

#include <optional>
#include <string>

#include "attention/mask.h"

// A mask painted cell by cell, as the numbers of a rule of kind MaskKind::blocked: N queries, M
// keys, then in ascending order the cells, counted row by row, at which blocked ones begin, end,
// begin again …
namespace headlight {

// Some cells that stand together, both ends included.
struct CellBlock {
    Index first_row = 0, last_row = 0, first_col = 0, last_col = 0;
};

// Cells that can be painted at most: beyond, their runs alone would be a large file.
inline constexpr Index kMostPainted = Index{1} << 26;

// What is painted of N × M cells in `rules` with the block painted as well, or freed. A painting
// for other tokens is begun anew; an empty one is no rule. The block must lie within N × M, which
// must not be more than kMostPainted.
MaskRules painted(MaskRules rules, Index queries, Index keys, const CellBlock& block, bool blocked);

bool is_painted(const MaskRule& rule, Index query, Index key);
Index painted_cells(const MaskRule& rule);  // how many are blocked

// "100x90 3.0-12 4-7.20": for 100 queries and 90 keys, of query 3 the keys 0 to 12, of queries 4 to
// 7 key 20.
std::string painting_text(const MaskRule& rule);
// Nothing where the text is no painting, blocks nothing, or a cell lies beyond its queries and
// keys.
std::optional<MaskRule> parse_painting(const std::string& text);

}  // namespace headlight
