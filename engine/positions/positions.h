#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "kernels/matrix.h"
#include "kernels/names.h"
#include "patches/token_grid.h"

namespace headlight {

class PositionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Ways of telling the model where a token is. `rotary` adds nothing to the token, but rotates its
// queries and keys (rotary.h). `relative` adds to its scores (relative.h). `model` is the model's
// own: the position embedding of its file, its rotation, or its bias. A bare layer has none of
// these, so `model` is the sinusoidal table there. `learned` is a learned table before training,
// drawn from a seed.
enum class PositionKind { none, sinusoidal, sincos_2d, learned, rotary, relative, model };
template <>
inline constexpr auto kNames<PositionKind> = std::to_array<std::string_view>(
    {"none", "sinusoidal", "sincos_2d", "learned", "rotary", "relative", "model"});

inline constexpr float kUsualBase = 10000;

// The numbers of an untrained relative bias.
enum class BiasStart {
    drawn,     // from a seed, N(0, 1), as before training
    distance,  // decreases with distance, with a different slope per head
};
template <>
inline constexpr auto kNames<BiasStart> = std::to_array<std::string_view>({"drawn", "distance"});

struct BiasChoice {
    BiasStart start = BiasStart::drawn;
    float strength = 1;      // multiplies every number
    std::uint64_t seed = 0;  // for a drawn bias, and for a `learned` table

    friend bool operator==(const BiasChoice&, const BiasChoice&) = default;
};

// For 2-D waves, what the first half of a row of the table encodes: the column, as in MAE, or the
// row, as in MoCo-v3.
enum class WavesFirst { columns, rows };
template <>
inline constexpr auto kNames<WavesFirst> = std::to_array<std::string_view>({"columns", "rows"});

struct PositionChoice {
    PositionKind kind = PositionKind::model;
    float base = kUsualBase;                 // for kinds made of waves
    BiasChoice bias{};                       // for `relative`; for `learned` only its seed
    WavesFirst first = WavesFirst::columns;  // for `sincos_2d`

    friend bool operator==(const PositionChoice&, const PositionChoice&) = default;
};

// The inputs of a position table.
struct PositionSpec {
    TokenGrid places;
    Index tokens = 0, dim = 0;
    double base = kUsualBase;
    std::uint64_t seed = 0;                  // for a drawn table
    WavesFirst first = WavesFirst::columns;  // for 2-D waves
};

// What a kind changes.
enum class PositionEffect {
    nothing,
    added,   // the tokens, by a table
    turned,  // queries and keys, by a rotation
    biased,  // scores, by a number per offset
};

// Which settings of a PositionChoice a kind uses.
struct PositionSettings {
    float base = 0;      // its usual base; 0: no waves
    bool bias = false;   // start and strength of a bias
    bool seed = false;   // of drawn numbers
    bool first = false;  // for 2-D waves
};

// One row of the table in positions.cpp, in the order of the enumerators. To add a kind, add an
// enumerator with its name and a row. Fields, controls, `--attention`, `headlight positions`,
// sessions, the step and its texts read them.
struct PositionInfo {
    PositionKind id;
    std::string_view label, short_label;  // for people; the second where space is short
    std::string_view sentence;            // what it does
    std::string_view meaning;             // text of the step; empty: the usual text
    std::string_view pytorch;             // what is added; empty: nothing
    // The Python function that computes the table for a script. Its parameters are called tokens,
    // dim, base, rows, cols, prefix or rows_first. Empty: scripts store the table.
    std::string_view python;
    PositionEffect effect;
    Matrix (*table)(const PositionSpec&);  // null: the kind has no table of its own
    PositionSettings takes;
    Required<bool> needs_grid;  // useless for tokens in a row
};
std::span<const PositionInfo> all_positions();
const PositionInfo& info(PositionKind kind);

// True if the numbers are drawn from the choice's seed.
bool draws(const PositionChoice& choice);

// The sinusoidal table [tokens, dim] of "Attention Is All You Need", section 3.5:
//   PE[pos, 2i]     = sin(pos / base^(2i/dim))
//   PE[pos, 2i + 1] = cos(pos / base^(2i/dim))
// If dim is odd, the last sine has no cosine. Computed in double, rounded once. Throws
// PositionError if tokens or dim < 1.
Matrix sinusoidal_positions(Index tokens, Index dim, double base = kUsualBase);

// The table [tokens, dim] of "Masked Autoencoders" (arXiv 2111.06377) and its code. Each patch's
// row has four quarters, with k = 0 .. dim/4 − 1:
//   sin(col · base^(−k/(dim/4))), cos of the same, sin(row · base^(−k/(dim/4))), cos of the same,
// and tokens before the patches get zeros. With rows first, it is the table of "An Empirical Study
// of Training Self-Supervised Vision Transformers" (MoCo v3, arXiv 2104.02057). Its code (vits.py,
// build_2d_sincos_position_embedding) also puts sin and cos of `grid_w` first, but creates its
// grids with "ij" indexing, so that grid_w counts the rows of patches in reading order. (This holds
// for square grids, which all its models have. For others, that code transposes the grid.) Computed
// in double, rounded once. Throws PositionError if dim is not a multiple of 4, or if the tokens
// have no grid.
Matrix sincos_2d_positions(const PositionSpec& spec);

// A learned table [tokens, dim] before training: independent numbers from N(0, kDrawnDeviation²),
// as ViT starts (arXiv 2010.11929, its code). The same for a seed on every machine. Throws
// PositionError if tokens or dim < 1.
inline constexpr double kDrawnDeviation = 0.02;
Matrix drawn_positions(Index tokens, Index dim, std::uint64_t seed);

// The table of the given kind; an empty matrix for none, rotary and relative, which have no table.
// `model` means that of a bare layer here. Throws PositionError as the functions above, and for a
// base <= 1.
Matrix position_table(PositionKind kind, const PositionSpec& spec);

}  // namespace headlight
