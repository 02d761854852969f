#pragma once

#include <vector>

#include "kernels/matrix.h"
#include "patches/token_grid.h"

// Rotary positions in two dimensions (axial RoPE). Nothing is added to the tokens. Instead, every
// query and key is rotated, one pair of channels at a time, by angles that depend on its patch's
// place. So their product depends on places only through the offset of the two patches in rows and
// columns. "RoFormer" (arXiv 2104.09864, section 3.2), in two dimensions as in DINOv3 (arXiv
// 2508.10104) and EVA-02 (arXiv 2303.11331).
namespace headlight {

// Pair p of a head is rotated by 2π · place / periods[p mod head_dim/4]. The place is the patch's
// row for the first half of the pairs and its column for the second half.
struct Rotary {
    enum class Pairs {
        halves,     // channels p and p + head_dim/2: DINOv3
        neighbors,  // channels 2p and 2p + 1: EVA-02
    };
    enum class Places {
        centered,  // the patch's center, from −1 to 1 across the picture
        counted,   // index of the row or column, times the reference extent / the grid's extent
    };
    Pairs pairs = Pairs::halves;
    Places places = Places::centered;
    int reference_rows = 0, reference_cols = 0;  // for counted places: the grid it was trained on
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

// periods base^(k / (head_dim/4)) over centered places. Throws PositionError if head_dim is not a
// multiple of 4, or if the base is <= 1.
Rotary dinov3_rotary(Index head_dim, double base = kDinov3Base);
// periods 2π · base^(k / (head_dim/4)) over counted places, with the given reference grid.
Rotary eva_rotary(Index head_dim, int reference_rows, int reference_cols, double base = kEvaBase);

// Sine and cosine of every token's angles, each [N, head_dim]; both channels of a pair have the
// same angle. Sine 0 and cosine 1 for tokens that are not patches. Computed in double, rounded
// once. Throws PositionError if the tokens have no grid.
struct RotaryTables {
    Matrix sine, cosine;
};
RotaryTables rotary_tables(const Rotary& rotary, const TokenGrid& places, Index tokens);

// Rotates every head's rows: a pair (a, b) becomes (a · cos − b · sin, b · cos + a · sin).
// x [B·N, H·head_dim]; sine and cosine [N, head_dim].
Matrix rotated(const MatrixView& x, const Rotary& rotary, const MatrixView& sine,
               const MatrixView& cosine);

}  // namespace headlight
