#include "positions/positions.h"

#include <cmath>
#include <string>

#include "positions/rotary.h"

namespace headlight {

const std::vector<PositionInfo>& all_positions() {
    static const auto sinusoidal = [](const PositionSpec& spec) {
        return sinusoidal_positions(spec.tokens, spec.dim, spec.base);
    };
    static const std::vector<PositionInfo> table{
        {PositionKind::none, "none", "",
         "Nothing is added here, so the layer cannot know where in the picture a token stood: to "
         "it they are a heap without order. Positions would tell each one.",
         nullptr},
        {PositionKind::sinusoidal, "sinusoidal", "PE[:N]", "", sinusoidal, kUsualBase},
        {PositionKind::sincos_2d, "sinusoidal, by row and column", "PE_2d[:N]",
         "Attention treats its tokens as a heap without order. Half of the waves that are added "
         "run across the picture and half run down, so a token knows its column and its row apart.",
         sincos_2d_positions, kUsualBase},
        {PositionKind::rotary, "rotary, by row and column", "",
         "Nothing is added to the tokens. Where a patch lies is told later and in another way: "
         "after the cut into heads, its queries and keys are turned by angles that stand for its "
         "row and its column.",
         nullptr, kDinov3Base},
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
    if (tokens < 1 || dim < 1)
        throw PositionError("Expected at least one token and one dimension, found " +
                            std::to_string(tokens) + " tokens of " + std::to_string(dim) +
                            " dimensions.");
    Matrix table(tokens, dim);
    for (Index even = 0; even < dim; even += 2) {
        // One wavelength per pair of columns, from 2 pi to base · 2 pi tokens.
        const double divisor = std::pow(base, static_cast<double>(even) / static_cast<double>(dim));
        for (Index pos = 0; pos < tokens; ++pos) {
            const double angle = static_cast<double>(pos) / divisor;
            table(pos, even) = static_cast<float>(std::sin(angle));
            if (even + 1 < dim) table(pos, even + 1) = static_cast<float>(std::cos(angle));
        }
    }
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
    for (Index token = places.prefix; token < spec.tokens; ++token)
        for (Index k = 0; k < quarter; ++k) {
            const double frequency =
                std::pow(spec.base, -static_cast<double>(k) / static_cast<double>(quarter));
            const double across = static_cast<double>(places.col(token)) * frequency,
                         down = static_cast<double>(places.row(token)) * frequency;
            table(token, k) = static_cast<float>(std::sin(across));
            table(token, quarter + k) = static_cast<float>(std::cos(across));
            table(token, 2 * quarter + k) = static_cast<float>(std::sin(down));
            table(token, 3 * quarter + k) = static_cast<float>(std::cos(down));
        }
    return table;
}

Matrix position_table(PositionKind kind, const PositionSpec& spec) {
    if (kind == PositionKind::none || kind == PositionKind::rotary) return {};
    if (!(spec.base > 1) || !std::isfinite(spec.base))
        throw PositionError("The base of positions must be a number above 1.");
    return info(kind == PositionKind::model ? PositionKind::sinusoidal : kind).table(spec);
}

}  // namespace headlight
