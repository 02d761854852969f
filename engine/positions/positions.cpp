#include "positions/positions.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/parallel.h"
#include "kernels/random.h"
#include "positions/rotary.h"

namespace headlight {

namespace {

void expect_some(Index tokens, Index dim) {
    if (tokens < 1 || dim < 1)
        throw PositionError("Expected at least one token and one dimension, found " +
                            std::to_string(tokens) + " tokens of " + std::to_string(dim) +
                            " dimensions.");
}

// Sines and cosines at one position, one per frequency.
struct Waves {
    Eigen::ArrayXd sine, cosine;

    Waves(double place, const Eigen::ArrayXd& divisors)
        : sine((place / divisors).sin()), cosine((place / divisors).cos()) {}
    // Advances by the position of `by`.
    void turn(const Waves& by) {
        const Eigen::ArrayXd turned = sine * by.cosine + cosine * by.sine;
        cosine = cosine * by.cosine - sine * by.sine;
        sine = turned;
    }
};

// [places, 2 · quarter]: the sines and cosines for each row, or column, of the grid.
Matrix waves_by_place(Index places, Index quarter, double base) {
    Matrix waves(places, 2 * quarter);
    for (Index k = 0; k < quarter; ++k) {
        const double frequency =
            std::pow(base, -static_cast<double>(k) / static_cast<double>(quarter));
        for (Index place = 0; place < places; ++place) {
            const double angle = static_cast<double>(place) * frequency;
            waves(place, k) = static_cast<float>(std::sin(angle));
            waves(place, quarter + k) = static_cast<float>(std::cos(angle));
        }
    }
    return waves;
}

constexpr auto sinusoidal = [](const PositionSpec& spec) {
    return sinusoidal_positions(spec.tokens, spec.dim, spec.base);
};
constexpr std::string_view kSinusoidalPython = R"(
def sinusoidal(tokens, dim, base):  # "Attention Is All You Need", section 3.5
    angle = torch.arange(tokens).double()[:, None] / base ** (torch.arange(0, dim, 2).double() / dim)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)[:, :dim].float()
)";
constexpr std::string_view kSincos2dPython = R"(
def sincos_2d(rows, cols, dim, base, prefix, rows_first):  # MAE: waves of the column, then of the row; MoCo-v3: rows first
    frequency = base ** -(torch.arange(dim // 4).double() / (dim // 4))
    row, col = (place[:, None] * frequency for place in torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).T)
    first, second = (row, col) if rows_first else (col, row)
    return F.pad(torch.cat([first.sin(), first.cos(), second.sin(), second.cos()], 1).float(), (0, 0, prefix, 0))
)";
constexpr auto drawn = [](const PositionSpec& spec) {
    return drawn_positions(spec.tokens, spec.dim, spec.seed);
};

constexpr PositionSettings kNone{}, kWaves{.base = kUsualBase},
    kWaves2d{.base = kUsualBase, .first = true}, kDrawn{.seed = true}, kTurns{.base = kDinov3Base},
    kBias{.bias = true, .seed = true};

using enum PositionEffect;
constexpr auto kTable = std::to_array<PositionInfo>({
    {PositionKind::none, "none", "none", "Nothing tells the layer where a patch was.",
     "Nothing is added here, so the layer cannot know where in the picture a patch was. To "
     "attention, the tokens are an unordered set.",
     "", "", nothing, nullptr, kNone, false},
    {PositionKind::sinusoidal, "sinusoidal", "sinusoidal",
     "Sines and cosines along the patches in reading order are added to the tokens, as in "
     "“Attention Is All You Need”.",
     "", "PE[:N]", kSinusoidalPython, added, sinusoidal, kWaves, false},
    {PositionKind::sincos_2d, "2-D sinusoidal", "2-D sines",
     "Half of the waves run across the picture and half run down, as in MAE and MoCo-v3; they are "
     "added to the tokens.",
     "To attention, the tokens are an unordered set. Half of the waves added here run across the "
     "picture and half run down, so they encode column and row separately.",
     "PE_2d[:N]", kSincos2dPython, added, sincos_2d_positions, kWaves2d, true},
    {PositionKind::learned, "learned, drawn", "learned",
     "A table of random numbers is added to the tokens, like a learned one before training.",
     "To attention, the tokens are an unordered set. A learned table has one row for every place. "
     "This one was drawn from a seed, as before training. Its rows differ, but they do not yet say "
     "which places are neighbors.",
     "PE_drawn", "", added, drawn, kDrawn, false},
    {PositionKind::rotary, "2-D rotary", "rotary",
     "Queries and keys are rotated by angles that depend on row and column, as in DINOv3; nothing "
     "is added.",
     "Nothing is added to the tokens. The place of a patch enters later: after the split into "
     "heads, its query and key are rotated by angles that encode its row and its column.",
     "", "", turned, nullptr, kTurns, true},
    {PositionKind::relative, "relative bias", "bias",
     "Every score gets a number for the offset from query to key, as in BEiT; nothing is added to "
     "the tokens.",
     "Nothing is added to the tokens. The place of a patch enters later: every score gets a number "
     "that depends on the head and on the offset from query to key.",
     "", "", biased, nullptr, kBias, true},
    {PositionKind::model, "the model's", "model's",
     "The model's own. A single layer uses sinusoidal.",
     "To attention, the tokens are an unordered set. The model's own table adds a different row "
     "for every place, which tells each token where its patch was.",
     "pos_embed", "", added, nullptr, kNone, false},
});
static_assert(rows_fit(kTable, &PositionInfo::id, &PositionInfo::label, &PositionInfo::short_label,
                       &PositionInfo::sentence));

}  // namespace

std::span<const PositionInfo> all_positions() { return kTable; }

const PositionInfo& info(PositionKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

bool draws(const PositionChoice& choice) {
    const PositionSettings& takes = info(choice.kind).takes;
    return takes.seed && !(takes.bias && choice.bias.start == BiasStart::distance);
}

// Each row is computed by rotating the row before it, which takes a tenth of the time of sines. To
// limit the accumulation of rounding errors, every kTurned-th row is computed directly.
Matrix sinusoidal_positions(Index tokens, Index dim, double base) {
    expect_some(tokens, dim);
    const auto width = static_cast<double>(dim);
    const Index pairs = (dim + 1) / 2;
    Eigen::ArrayXd divisors(pairs);  // from 1 to nearly base
    for (Index i = 0; i < pairs; ++i)
        divisors[i] = std::pow(base, static_cast<double>(2 * i) / width);
    const Waves step(1, divisors);
    Matrix table(tokens, dim);
    constexpr Index kTurned = 32;
    parallel_rows(tokens, kTurned, [&](Index first, Index rows) {
        Waves waves(static_cast<double>(first), divisors);
        for (Index pos = first; pos < first + rows; ++pos) {
            if (pos > first) waves.turn(step);
            float* row = table.row(pos).data();
            for (Index i = 0; i < dim / 2; ++i) {
                row[2 * i] = static_cast<float>(waves.sine[i]);
                row[2 * i + 1] = static_cast<float>(waves.cosine[i]);
            }
            if (dim % 2 == 1) row[dim - 1] = static_cast<float>(waves.sine[pairs - 1]);
        }
    });
    return table;
}

Matrix sincos_2d_positions(const PositionSpec& spec) {
    const TokenGrid& places = spec.places;
    if (spec.dim < 4 || spec.dim % 4 != 0)
        throw PositionError(
            "Positions by row and column need a width that is a multiple of 4; "
            "these tokens are " +
            std::to_string(spec.dim) + " wide.");
    if (!places.are_known() || places.count() != spec.tokens)
        throw PositionError(
            "Positions by row and column need tokens in a grid of patches, but these " +
            std::to_string(spec.tokens) + " tokens have no known grid.");
    const Index quarter = spec.dim / 4;
    const bool rows_first = spec.first == WavesFirst::rows;
    Matrix table = Matrix::Zero(spec.tokens, spec.dim);
    const Matrix along = waves_by_place(std::max(places.rows, places.cols), quarter, spec.base);
    for (Index token = places.prefix; token < spec.tokens; ++token) {
        const Index row = places.row(token), col = places.col(token);
        table.row(token).head(2 * quarter) = along.row(rows_first ? row : col);
        table.row(token).tail(2 * quarter) = along.row(rows_first ? col : row);
    }
    return table;
}

Matrix drawn_positions(Index tokens, Index dim, std::uint64_t seed) {
    expect_some(tokens, dim);
    Matrix table(tokens, dim);
    SplitMix random(seed);
    for (Index i = 0; i < table.size(); ++i)
        table.data()[i] = static_cast<float>(kDrawnDeviation * random.normal());
    return table;
}

Matrix position_table(PositionKind kind, const PositionSpec& spec) {
    if (info(kind).effect != added) return {};
    if (!(spec.base > 1) || !std::isfinite(spec.base))
        throw PositionError("The base of positions must be a number above 1.");
    return info(kind == PositionKind::model ? PositionKind::sinusoidal : kind).table(spec);
}

}  // namespace headlight
