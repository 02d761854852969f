#pragma once

#include <vector>

#include "analysis/position_table.h"

// Which channels of a position embedding distinguish two positions, and which positions are nearly
// equal.
namespace headlight {

// A pair of channels as a vector in the plane (a "hand"), compared at two positions.
struct HandDifference {
    ChannelPair pair;
    double angle = 0;     // between the two vectors, 0 to π; NaN if one has length 0
    double distance = 0;  // Euclidean distance between them
};
// In the order of channel_pairs(), then the lone channels, whose pair is the channel twice and
// which have no angle. Throws AnalysisError for a position that does not exist.
std::vector<HandDifference> hand_differences(const MatrixView& table, Pairing pairing, Index a,
                                             Index b);

// How the two halves of a table's channels depend on the patch: one half only on the column and the
// other only on the row, as in two-dimensional encodings; or otherwise `mixed`.
enum class Halves { columns_rows, rows_columns, mixed };
// Differences up to 1e-6 of the table's largest number are ignored. Throws AnalysisError if the
// rows are not those of such a grid.
Halves halves_of(const MatrixView& table, int rows, int cols);

// The fewest pairs of channels that hold the fraction `part` (0..1) of the squared distance between
// both positions, largest first. Empty if the positions are equal.
std::vector<std::size_t> most_distinguishing(const std::vector<HandDifference>& hands, double part);

// Pairs of rows closer to each other than `within`, which can hardly be told apart.
struct CollapsedPairs {
    Index count = 0, of = 0;  // number of such pairs; number of all pairs
    double within = 0;
    // The two closest rows, the first of equal pairs; −1 if there are fewer than two rows.
    Index first = -1, second = -1;
    double nearest = 0;
};
CollapsedPairs collapsed_pairs(const MatrixView& table, double within);

// Rows closer than this fraction of the mean row length count as collapsed.
inline constexpr double kCollapsed = 0.01;
double mean_length(const MatrixView& table);

}  // namespace headlight
