#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/patches.h"

// Properties of a position embedding PE [P, D], one row per patch of a grid in reading order. Sums
// in double.
namespace headlight {

// Cosines of all pairs of rows, [P, P]: PE·PEᵀ after scaling rows to length 1. 0 if a row is all
// zeros.
Matrix cosine_matrix(const MatrixView& table);

// Dot products, and Euclidean distances, of all pairs of rows, [P, P].
Matrix product_matrix(const MatrixView& table);
Matrix distance_matrix(const MatrixView& table);

// All patches' maps in one image: the map of patch (r, c), laid out as the grid, is at row r and
// column c of maps. Result [rows·rows, cols·cols] from values of all pairs [P, P]. Throws
// AnalysisError if the values do not fit the grid.
Matrix sheet_of_maps(const MatrixView& of_pairs, int rows, int cols);

// Mean over pairs of patches `offset` columns, or rows, apart; from offset 0 on.
struct OffsetProfile {
    std::vector<double> along_row, down_column;
};
OffsetProfile offset_profile(const MatrixView& of_pairs, int rows, int cols);

// Two channels that rotate together.
struct ChannelPair {
    Index first = 0, second = 0;
};
// neighbors: (0, 1), (2, 3), …, as in "Attention Is All You Need". quarters: sine and cosine of the
// same wave in the four quarters of a two-dimensional table.
enum class Pairing { neighbors, quarters };
std::vector<ChannelPair> channel_pairs(Pairing pairing, Index dim);
// Channels without a partner: for an odd width the last one, a sine without a cosine.
std::vector<Index> lone_channels(Pairing pairing, Index dim);
// For a table of unknown origin: the pairing whose pairs fit a rotation best from each patch to the
// next; neighbors if both fit equally well.
Pairing pairing_that_turns(const MatrixView& table, int rows, int cols);

// The table with the channels of some waves set to zero. fast_off and slow_off (0..1) are fractions
// of the number of waves, rounded: the first and the last of channel_pairs(), which are the fastest
// and the slowest; for quarters, those of each half. A lone channel counts as the slowest wave.
// Shows which waves distinguish two positions.
Matrix without_waves(const MatrixView& table, Pairing pairing, double fast_off, double slow_off);

// The rotation that maps a pair of channels of every patch to the patch `down` and `right` of it,
// by least squares:
//   (a', b') ≈ (cos φ · a + sin φ · b, −sin φ · a + cos φ · b), a a sine and b its cosine.
// residual: square root of the unexplained fraction of the squares of (a', b').
struct Turn {
    double angle = 0;     // φ in radians, in (−π, π]
    double residual = 0;  // 0: exact rotation; 1: none of it is explained; NaN for a pair of zeros
};
// The block rotation M(k) of a table: PE(p + k) ≈ M(k) · PE(p), with k = (`down`, `right`).
struct Turned {
    std::vector<Turn> turns;  // in the order of channel_pairs()
    // sqrt(Σ‖PE(p+k) − M·PE(p)‖² / Σ‖PE(p+k)‖²), where M leaves lone channels unchanged. NaN if no
    // two patches are that far apart, or all their rows are zero.
    double residual = 0;
    Index patches = 0;  // number of patches with a partner at that offset
};
Turned turned(const MatrixView& table, int rows, int cols, Pairing pairing, int down, int right);

// Properties that are claimed for position embeddings, as numbers; NaN if the grid has no such
// patches.
struct PositionProperties {
    Index distinct = 0;  // number of rows that differ from all others
    double nearest = 0;  // smallest Euclidean distance of two rows
    float low = 0, high = 0;
    double length = 0;            // mean Euclidean length of a row
    double length_deviation = 0;  // largest difference between a row's length and the mean,
                                  // relative to the mean
    // Turned::residual for one column to the right; if there is only one column, for one row down.
    double shift_residual = 0;
    // Largest difference between the cosines of a patch with two patches at opposite offsets.
    double asymmetry = 0;
    // Largest difference between cosines of equal offsets (in rows and columns).
    double offset_spread = 0;
    double left_neighbor = 0, upper_neighbor = 0;  // mean cosines
};
PositionProperties position_properties(const MatrixView& table, const MatrixView& cosines, int rows,
                                       int cols, Pairing pairing);

}  // namespace headlight
