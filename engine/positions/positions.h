#pragma once

#include <stdexcept>

#include "kernels/matrix.h"
#include "kernels/names.h"

namespace headlight {

class PositionError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Ways of telling a token where it stands. `model` is the model's own: the table of its file, and
// in a bare layer, which has none, the sinusoidal one.
enum class PositionKind { none, sinusoidal, model };
template <>
inline constexpr auto kNames<PositionKind> = std::to_array<std::string_view>({"none", "sinusoidal",
                                                                              "model"});

// The sinusoidal table [tokens, dim] of "Attention Is All You Need", section 3.5:
//   PE[pos, 2i]     = sin(pos / 10000^(2i/dim))
//   PE[pos, 2i + 1] = cos(pos / 10000^(2i/dim))
// An odd dim ends with a sine that has no cosine beside it. Computed in double, rounded once.
// Throws PositionError: tokens or dim < 1.
Matrix sinusoidal_positions(Index tokens, Index dim);

// The table of the given kind; an empty matrix for none. `model` stands for a bare layer's here.
Matrix position_table(PositionKind kind, Index tokens, Index dim);

}  // namespace headlight
