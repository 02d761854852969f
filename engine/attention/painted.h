#pragma once

#include <optional>
#include <string>

#include "attention/mask.h"

// A mask painted cell by cell, stored as the numbers of a rule of kind MaskKind::blocked. The
// numbers are: N queries, M keys, then cell indices (row · M + column) in ascending order. The
// first index starts a run of blocked cells, the second is one past its end, the third starts the
// next run, and so on.
namespace headlight {

// A rectangle of cells, both ends included.
struct CellBlock {
    Index first_row = 0, last_row = 0, first_col = 0, last_col = 0;
};

// Largest number of cells that can be painted; beyond it, even the runs would make a large file.
inline constexpr Index kMostPainted = Index{1} << 26;

// `rules` with the block painted (blocked = true) or cleared (false) in an N × M painting. Replaces
// a painting for another N × M; drops the rule if nothing is painted. The block must be within N ×
// M, and N · M must not exceed kMostPainted.
MaskRules painted(MaskRules rules, Index queries, Index keys, const CellBlock& block, bool blocked);

bool is_painted(const MaskRule& rule, Index query, Index key);
Index painted_cells(const MaskRule& rule);  // number of blocked cells

// The text form. "100x90 3.0-12 4-7.20" means: 100 queries and 90 keys; query 3 may not attend to
// keys 0 to 12, and queries 4 to 7 not to key 20.
std::string painting_text(const MaskRule& rule);
// Nothing if the text is no valid painting, blocks nothing, or names a cell outside N × M.
std::optional<MaskRule> parse_painting(const std::string& text);

}  // namespace headlight
