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

// Ways of telling a token where it stands. `rotary` adds nothing to it, but turns its queries and
// keys (rotary.h); `relative` adds to its scores (relative.h). `model` is the model's own: the
// table of its file, its rotation, or what it adds to scores; in a bare layer, which has none of
// them, the sinusoidal table. `learned` is a table as it is before any training: drawn from a seed.
enum class PositionKind { none, sinusoidal, sincos_2d, learned, rotary, relative, model };
template <>
inline constexpr auto kNames<PositionKind> = std::to_array<std::string_view>(
    {"none", "sinusoidal", "sincos_2d", "learned", "rotary", "relative", "model"});

inline constexpr float kUsualBase = 10000;

// What the numbers of a relative bias are, which no training has found yet.
enum class BiasStart {
    drawn,     // from a seed, N(0, 1), as before training
    distance,  // less for what is farther, by a slope of the head's own
};
template <>
inline constexpr auto kNames<BiasStart> = std::to_array<std::string_view>({"drawn", "distance"});

struct BiasChoice {
    BiasStart start = BiasStart::drawn;
    float strength = 1;      // every number times this
    std::uint64_t seed = 0;  // of a drawn bias, and of a `learned` table

    friend bool operator==(const BiasChoice&, const BiasChoice&) = default;
};

// Of 2-D waves, which of them the first half of a row of the table has: those along the columns, as
// in MAE, or those down the rows, as in MoCo-v3.
enum class WavesFirst { columns, rows };
template <>
inline constexpr auto kNames<WavesFirst> = std::to_array<std::string_view>({"columns", "rows"});

struct PositionChoice {
    PositionKind kind = PositionKind::model;
    float base = kUsualBase;                 // of the kinds that are made of waves
    BiasChoice bias{};                       // of `relative`; of `learned` its seed
    WavesFirst first = WavesFirst::columns;  // of `sincos_2d`

    friend bool operator==(const PositionChoice&, const PositionChoice&) = default;
};

// What a table is made for.
struct PositionSpec {
    TokenGrid places;
    Index tokens = 0, dim = 0;
    double base = kUsualBase;
    std::uint64_t seed = 0;                  // of a table that is drawn
    WavesFirst first = WavesFirst::columns;  // of 2-D waves
};

// What a kind does with the place of a token.
enum class PositionEffect {
    nothing,
    added,   // to the tokens, by a table
    turned,  // queries and keys, by angles
    biased,  // scores, by a number for each offset
};

// Which settings of a PositionChoice a kind is made with.
struct PositionSettings {
    float base = 0;      // the usual one; 0: no waves
    bool bias = false;   // start and strength of a bias
    bool seed = false;   // of numbers that are drawn
    bool first = false;  // of 2-D waves
};

// One row of the table in positions.cpp, in the order of the enumerators. A new kind is an
// enumerator with its name, and a row: fields, controls, `--attention`, `headlight positions`,
// sessions, the step and its words read them.
struct PositionInfo {
    PositionKind id;
    std::string_view label, short_label;  // for people; where there is little room
    std::string_view sentence;            // what it does
    std::string_view meaning;             // of the step; empty: what is usually said
    std::string_view pytorch;             // what is added; empty: nothing
    PositionEffect effect;
    Matrix (*table)(const PositionSpec&);  // null: the kind is no table of its own
    bool needs_grid;                       // of no use to tokens that lie in a row
    PositionSettings takes;
};
std::span<const PositionInfo> all_positions();
const PositionInfo& info(PositionKind kind);

// Whether its numbers are drawn from the choice's seed.
bool draws(const PositionChoice& choice);

// The sinusoidal table [tokens, dim] of "Attention Is All You Need", section 3.5:
//   PE[pos, 2i]     = sin(pos / base^(2i/dim))
//   PE[pos, 2i + 1] = cos(pos / base^(2i/dim))
// An odd dim ends with a sine that has no cosine beside it. Computed in double, rounded once.
// Throws PositionError: tokens or dim < 1.
Matrix sinusoidal_positions(Index tokens, Index dim, double base = kUsualBase);

// The table [tokens, dim] of "Masked Autoencoders" (arXiv 2111.06377) and its code: with
// k = 0 .. dim/4 − 1 four quarters of each patch's row,
//   sin(col · base^(−k/(dim/4))), cos of the same, sin(row · base^(−k/(dim/4))), cos of the same,
// and zeros for the tokens before the patches. With the rows first it is the table of "An Empirical
// Study of Training Self-Supervised Vision Transformers" (MoCo v3, arXiv 2104.02057): its code
// (vits.py, build_2d_sincos_position_embedding) puts sin and cos of `grid_w` first too, but meshes
// its grids "ij", so that over patches in reading order grid_w counts the rows. (Of square
// grids, as all its models have; on others that code takes a grid of as many rows as there are
// columns.) Computed in double, rounded once. Throws PositionError: a dim that is no multiple of 4,
// or tokens that do not lie in a grid.
Matrix sincos_2d_positions(const PositionSpec& spec);

// What a learned table [tokens, dim] is before it has learned anything: every number by itself from
// N(0, kDrawnDeviation²), as ViT begins (arXiv 2010.11929, its code); the same for a seed on every
// machine. Throws PositionError: tokens or dim < 1.
inline constexpr double kDrawnDeviation = 0.02;
Matrix drawn_positions(Index tokens, Index dim, std::uint64_t seed);

// The table of the given kind; an empty matrix for none, rotary and relative, which add nothing.
// `model` stands for a bare layer's here. Throws PositionError as these do, and for a base that is
// not above 1.
Matrix position_table(PositionKind kind, const PositionSpec& spec);

}  // namespace headlight
