#include "positions/positions.h"

#include <cmath>
#include <string>

namespace headlight {

Matrix sinusoidal_positions(Index tokens, Index dim) {
    if (tokens < 1 || dim < 1)
        throw PositionError("Expected at least one token and one dimension, found " +
                            std::to_string(tokens) + " tokens of " + std::to_string(dim) +
                            " dimensions.");
    Matrix table(tokens, dim);
    for (Index even = 0; even < dim; even += 2) {
        // One wavelength per pair of columns, from 2 pi to 10000 · 2 pi tokens.
        const double divisor =
            std::pow(10000.0, static_cast<double>(even) / static_cast<double>(dim));
        for (Index pos = 0; pos < tokens; ++pos) {
            const double angle = static_cast<double>(pos) / divisor;
            table(pos, even) = static_cast<float>(std::sin(angle));
            if (even + 1 < dim) table(pos, even + 1) = static_cast<float>(std::cos(angle));
        }
    }
    return table;
}

Matrix position_table(PositionKind kind, Index tokens, Index dim) {
    switch (kind) {
        case PositionKind::none:
            return {};
        case PositionKind::sinusoidal:
        case PositionKind::model:
            return sinusoidal_positions(tokens, dim);
    }
    throw PositionError("Expected a known kind of position table, found kind " +
                        std::to_string(static_cast<int>(kind)) + ".");
}

}  // namespace headlight
