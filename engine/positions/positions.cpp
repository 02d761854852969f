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

// The pair of columns that begins at `even`, of one wavelength: from 2 pi to base · 2 pi tokens.
void write_waves(Matrix& table, Index even, double base) {
    const auto dim = static_cast<double>(table.cols());
    const double divisor = std::pow(base, static_cast<double>(even) / dim);
    for (Index pos = 0; pos < table.rows(); ++pos) {
        const double angle = static_cast<double>(pos) / divisor;
        table(pos, even) = static_cast<float>(std::sin(angle));
        if (even + 1 < table.cols()) table(pos, even + 1) = static_cast<float>(std::cos(angle));
    }
}

// [places, 2 · quarter]: what a patch in each row, or column, of the grid has of its sines and its
// cosines.
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

}  // namespace

const std::vector<PositionInfo>& all_positions() {
    static const auto sinusoidal = [](const PositionSpec& spec) {
        return sinusoidal_positions(spec.tokens, spec.dim, spec.base);
    };
    static const auto drawn = [](const PositionSpec& spec) {
        return drawn_positions(spec.tokens, spec.dim, spec.seed);
    };
    static const std::vector<PositionInfo> table{
        {PositionKind::none, "none", "",
         "Nothing is added here, so the layer cannot know where in the picture a token stood: to "
         "it they are a heap without order. Positions would tell each one.",
         nullptr},
        {PositionKind::sinusoidal, "sinusoidal", "PE[:N]", "", sinusoidal, kUsualBase},
        {PositionKind::sincos_2d, "2-D sinusoidal", "PE_2d[:N]",
         "Attention treats its tokens as a heap without order. Half of the waves that are added "
         "run across the picture and half run down, so a token knows its column and its row apart.",
         sincos_2d_positions, kUsualBase},
        {PositionKind::learned, "learned, drawn", "PE_drawn",
         "Attention treats its tokens as a heap without order. A learned table has a row of its "
         "own "
         "for every place. This one was drawn from a seed, as before training: its rows differ, "
         "but nothing in them says yet which places are neighbours.",
         drawn},
        {PositionKind::rotary, "2-D rotary", "",
         "Nothing is added to the tokens. Where a patch lies is told later and in another way: "
         "after the cut into heads, its queries and keys are turned by angles that stand for its "
         "row and its column.",
         nullptr, kDinov3Base},
        {PositionKind::relative, "relative bias", "",
         "Nothing is added to the tokens. Where a patch lies is told later and in another way: "
         "every score gets a number for its head and for the offset from its query to its key, so "
         "it is a term of the scores and no sum with X.",
         nullptr},
        {PositionKind::model, "the model's", "pos_embed",
         "Attention treats its tokens as a heap without order. Adding a row that is different "
         "for every place, which came with the model, tells each token where in the picture it "
         "stood.",
         nullptr},
    };
    return table;
}

const PositionInfo& info(PositionKind kind) {
    return all_positions()[static_cast<std::size_t>(kind)];
}

Matrix sinusoidal_positions(Index tokens, Index dim, double base) {
    expect_some(tokens, dim);
    Matrix table(tokens, dim);
    constexpr Index kPairsAtOnce = 16;
    parallel_rows((dim + 1) / 2, kPairsAtOnce, [&](Index first, Index pairs) {
        for (Index even = 2 * first; even < std::min(dim, 2 * (first + pairs)); even += 2)
            write_waves(table, even, base);
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
            "Positions by row and column need tokens that lie in a grid of "
            "patches; nothing says how these " +
            std::to_string(spec.tokens) + " lie.");
    const Index quarter = spec.dim / 4;
    Matrix table = Matrix::Zero(spec.tokens, spec.dim);
    const Matrix along = waves_by_place(std::max(places.rows, places.cols), quarter, spec.base);
    for (Index token = places.prefix; token < spec.tokens; ++token) {
        table.row(token).head(2 * quarter) = along.row(places.col(token));
        table.row(token).tail(2 * quarter) = along.row(places.row(token));
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
    const bool adds_none = kind == PositionKind::none || kind == PositionKind::rotary ||
                           kind == PositionKind::relative;
    if (adds_none) return {};
    if (!(spec.base > 1) || !std::isfinite(spec.base))
        throw PositionError("The base of positions must be a number above 1.");
    return info(kind == PositionKind::model ? PositionKind::sinusoidal : kind).table(spec);
}

}  // namespace headlight
