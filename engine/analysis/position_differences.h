#pragma once

#include <vector>

#include "analysis/position_table.h"

// Which channels of a table of positions tell two of them apart, and which positions nothing does.
namespace headlight {

// The hands of a pair of channels at two positions.
struct HandDifference {
    ChannelPair pair;
    double angle = 0;     // between them, 0 to π; NaN where one has no length
    double distance = 0;  // of their ends
};
// In the order of channel_pairs(), then channels that turn with no other one: their pairs name them
// twice, and they have no angle. Throws AnalysisError for a position that there is not.
std::vector<HandDifference> hand_differences(const MatrixView& table, Pairing pairing, Index a,
                                             Index b);

// What the two halves of a table's channels differ by from patch to patch: one from column to
// column alone and the other from row to row alone, as in tables for two dimensions; or by both, or
// by nothing.
enum class Halves { columns_rows, rows_columns, mixed };
// Up to a millionth of the table's largest number. Throws AnalysisError where these are not rows of
// such a grid.
Halves halves_of(const MatrixView& table, int rows, int cols);

// The fewest pairs of channels that hold so much (0..1) of the squared distance of both positions,
// the one that tells most first. None where they are the same.
std::vector<std::size_t> most_distinguishing(const std::vector<HandDifference>& hands, double part);

// Rows of a table that lie nearer to each other than `within`: what cannot be told apart.
struct CollapsedPairs {
    Index count = 0, of = 0;  // such pairs, and all
    double within = 0;
    // The two nearest rows, of equally near ones the first; −1: there are no two.
    Index first = -1, second = -1;
    double nearest = 0;
};
CollapsedPairs collapsed_pairs(const MatrixView& table, double within);

// Rows nearer than a hundredth of a row's mean length are taken for collapsed.
inline constexpr double kCollapsed = 0.01;
double mean_length(const MatrixView& table);

}  // namespace headlight
