#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/patches.h"

// What a table of positions PE [P, D] is like, one row for each patch of a grid in reading order.
// Sums in double.
namespace headlight {

// PE·PEᵀ of rows of length 1: the cosines of all pairs, [P, P]. 0 where a row is all zeros.
Matrix cosine_matrix(const MatrixView& table);

// PE·PEᵀ as it is, and the Euclidean distances of all pairs of rows, [P, P].
Matrix product_matrix(const MatrixView& table);
Matrix distance_matrix(const MatrixView& table);

// The map of every patch on one sheet: what patch (r, c) is like stands, laid out as the grid, in
// the r-th row and c-th column of maps; [rows·rows, cols·cols] from numbers of all pairs [P, P].
// Throws AnalysisError where these are not the grid's.
Matrix sheet_of_maps(const MatrixView& of_pairs, int rows, int cols);

// Mean of the numbers of two patches `offset` columns, or rows, apart: from 0 on.
struct OffsetProfile {
    std::vector<double> along_row, down_column;
};
OffsetProfile offset_profile(const MatrixView& of_pairs, int rows, int cols);

// Two channels that turn together.
struct ChannelPair {
    Index first = 0, second = 0;
};
// Neighbors (0, 1), (2, 3), …, as in "Attention Is All You Need"; or, of the four quarters of a
// two-dimensional table, sine and cosine of the same wave.
enum class Pairing { neighbors, quarters };
std::vector<ChannelPair> channel_pairs(Pairing pairing, Index dim);
// The channels that no other one turns with: of an odd width the last one, a sine without a cosine.
std::vector<Index> lone_channels(Pairing pairing, Index dim);
// Of a table that nothing says how it was made: the pairing whose pairs turn best from each patch
// to the next, neighbors where both do alike.
Pairing pairing_that_turns(const MatrixView& table, int rows, int cols);

// The table without some of its waves, whose channels are put to zero: the parts fast_off and
// slow_off (0..1) of all waves, rounded, the first and the last ones of channel_pairs(), which are
// the fastest and the slowest; of quarters those of each half. A lone channel is the slowest wave.
// Which wave tells two positions apart
// is seen by what becomes of them without it.
Matrix without_waves(const MatrixView& table, Pairing pairing, double fast_off, double slow_off);

// The rotation that brings a pair of channels from every patch nearest to the patch `down` and
// `right` of it, in least squares:
//   (a', b') ≈ (cos φ · a + sin φ · b, −sin φ · a + cos φ · b), a a sine and b its cosine.
// residual: the square root of what is left over of the squares of (a', b').
struct Turn {
    double angle = 0;     // φ in radians, in (−π, π]
    double residual = 0;  // 0: the pair turns; 1: nothing of it does. NaN for a pair of zeros
};
// M(k) of a table: how PE(p + k) comes from PE(p), k being `down` and `right`.
struct Turned {
    std::vector<Turn> turns;  // of channel_pairs()
    // sqrt(Σ‖PE(p+k) − M·PE(p)‖² / Σ‖PE(p+k)‖²), in which M leaves lone channels as they are; NaN
    // where no two patches are so far apart, or all of them are zeros.
    double residual = 0;
    Index patches = 0;  // that have a patch at that offset
};
Turned turned(const MatrixView& table, int rows, int cols, Pairing pairing, int down, int right);

// The properties that are claimed of tables of positions, as numbers; NaN where the grid has no
// such patches.
struct PositionProperties {
    Index distinct = 0;  // rows unlike all others
    double nearest = 0;  // least Euclidean distance of two rows
    float low = 0, high = 0;
    double length = 0;            // mean Euclidean length of a row
    double length_deviation = 0;  // largest, relative to the mean
    // Turned::residual of one column to the right; where there is one column, of one row down.
    double shift_residual = 0;
    // How much the cosine of a patch with another differs at most from that with the patch that
    // lies as far on its other side.
    double asymmetry = 0;
    // How much cosines of equal offsets (in rows and columns) differ at most.
    double offset_spread = 0;
    double left_neighbor = 0, upper_neighbor = 0;  // mean cosines
};
PositionProperties position_properties(const MatrixView& table, const MatrixView& cosines, int rows,
                                       int cols, Pairing pairing);

}  // namespace headlight
