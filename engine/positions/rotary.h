#pragma once

#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"

// Rotary positions in two dimensions (axial RoPE): nothing is added to the tokens, but every query
// and key is turned, pair of channels by pair, by angles that say where its patch lies. So their
// product depends on how far two patches are apart, in rows and in columns, and on nothing else.
// "RoFormer" (arXiv 2104.09864, section 3.2), in two dimensions as DINOv3 (arXiv 2508.10104) and
// EVA-02 (arXiv 2303.11331) have it.
namespace headlight {

// Pair p of a head's pairs turns by 2π · place / periods[p mod head_dim/4]: the first half of the
// pairs by the patch's row, the second by its column.
struct Rotary {
    enum class Pairs {
        halves,     // channels p and p + head_dim/2: DINOv3
        neighbors,  // channels 2p and 2p + 1: EVA-02
    };
    enum class Places {
        centered,  // the patch's middle, from −1 at one edge of the picture to 1 at the other
        counted,   // the number of the row or column, times that of the reference / of the grid
    };
    Pairs pairs = Pairs::halves;
    Places places = Places::centered;
    int reference_rows = 0, reference_cols = 0;  // of counted places: that it was trained on
    std::vector<double> periods;                 // [head_dim / 4], in units of place

    [[nodiscard]] Index head_dim() const { return static_cast<Index>(periods.size()) * 4; }
    [[nodiscard]] Index pair_count() const { return head_dim() / 2; }
    // The two channels of a pair.
    [[nodiscard]] Index first(Index pair) const { return pairs == Pairs::halves ? pair : 2 * pair; }
    [[nodiscard]] Index second(Index pair) const {
        return pairs == Pairs::halves ? pair + pair_count() : 2 * pair + 1;
    }
    // The pair that a channel belongs to.
    [[nodiscard]] Index pair_of(Index channel) const {
        return pairs == Pairs::halves ? channel % pair_count() : channel / 2;
    }
    friend bool operator==(const Rotary&, const Rotary&) = default;
};

inline constexpr float kDinov3Base = 100;
inline constexpr float kEvaBase = 10000;

// periods base^(k / (head_dim/4)) over centered places. Throws PositionError: a head_dim that is no
// multiple of 4, a base that is not above 1.
Rotary dinov3_rotary(Index head_dim, double base = kDinov3Base);
// periods 2π · base^(k / (head_dim/4)) over places counted as if every grid had these rows and
// columns.
Rotary eva_rotary(Index head_dim, int reference_rows, int reference_cols, double base = kEvaBase);

// Sine and cosine of every token's angles, each [N, head_dim], a pair's angle at both of its
// channels; sine 0 and cosine 1 for tokens that are no patches. Computed in double, rounded once.
// Throws PositionError where the tokens do not lie in a grid.
struct RotaryTables {
    Matrix sine, cosine;
};
RotaryTables rotary_tables(const Rotary& rotary, const TokenGrid& places, Index tokens);

// Every head's rows turned: of a pair (a, b) become a · cos − b · sin and b · cos + a · sin.
// x [B·N, H·head_dim]; sine and cosine [N, head_dim].
Matrix rotated(const MatrixView& x, const Rotary& rotary, const MatrixView& sine,
               const MatrixView& cosine);

}  // namespace headlight
