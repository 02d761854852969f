#include "positions/rotary.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "positions/positions.h"

namespace headlight {

namespace {

std::vector<double> periods_of(Index head_dim, double base, double first) {
    if (head_dim < 4 || head_dim % 4 != 0)
        throw PositionError(
            "Rotary positions in two dimensions need heads whose width is a multiple of 4; these "
            "are " +
            std::to_string(head_dim) + " wide.");
    if (!(base > 1) || !std::isfinite(base))
        throw PositionError("The base of positions must be a number above 1.");
    const Index count = head_dim / 4;
    std::vector<double> periods;
    for (Index k = 0; k < count; ++k)
        periods.push_back(first *
                          std::pow(base, static_cast<double>(k) / static_cast<double>(count)));
    return periods;
}

double place_of(const Rotary& rotary, Index at, int count, int reference) {
    if (rotary.places == Rotary::Places::centered)
        return 2 * (static_cast<double>(at) + 0.5) / count - 1;
    return static_cast<double>(at) / count * reference;
}

}  // namespace

Rotary dinov3_rotary(Index head_dim, double base) {
    return {Rotary::Pairs::halves, Rotary::Places::centered, 0, 0, periods_of(head_dim, base, 1)};
}

Rotary eva_rotary(Index head_dim, int reference_rows, int reference_cols, double base) {
    return {Rotary::Pairs::neighbors, Rotary::Places::counted, reference_rows, reference_cols,
            periods_of(head_dim, base, 2 * std::numbers::pi)};
}

RotaryTables rotary_tables(const Rotary& rotary, const TokenGrid& places, Index tokens) {
    if (!places.are_known() || places.count() != tokens)
        throw PositionError("Rotary positions need tokens in a grid of patches, but these " +
                            std::to_string(tokens) + " tokens have no known grid.");
    const Index width = rotary.head_dim(), count = rotary.pair_count();
    const auto bands = static_cast<Index>(rotary.periods.size());
    RotaryTables tables{Matrix::Zero(tokens, width), Matrix::Ones(tokens, width)};
    for (Index token = places.prefix; token < tokens; ++token)
        for (Index pair = 0; pair < count; ++pair) {
            const double place =
                pair < bands
                    ? place_of(rotary, places.row(token), places.rows, rotary.reference_rows)
                    : place_of(rotary, places.col(token), places.cols, rotary.reference_cols);
            const double angle = 2 * std::numbers::pi * place /
                                 rotary.periods[static_cast<std::size_t>(pair % bands)];
            for (const Index channel : {rotary.first(pair), rotary.second(pair)}) {
                tables.sine(token, channel) = static_cast<float>(std::sin(angle));
                tables.cosine(token, channel) = static_cast<float>(std::cos(angle));
            }
        }
    return tables;
}

Matrix rotated(const MatrixView& x, const Rotary& rotary, const MatrixView& sine,
               const MatrixView& cosine) {
    const Index width = rotary.head_dim();
    Matrix turned = new_matrix(x.rows, x.cols);
    parallel_for(x.rows, [&](Index row) {
        const float *from = x.row(row), *sin = sine.row(row % sine.rows),
                    *cos = cosine.row(row % cosine.rows);
        float* to = turned.row(row).data();
        for (Index head = 0; head < x.cols; head += width)
            for (Index pair = 0; pair < rotary.pair_count(); ++pair) {
                const Index a = rotary.first(pair), b = rotary.second(pair);
                to[head + a] = from[head + a] * cos[a] - from[head + b] * sin[a];
                to[head + b] = from[head + b] * cos[b] + from[head + a] * sin[b];
            }
    });
    return turned;
}

}  // namespace headlight
