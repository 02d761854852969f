#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/ops.h"
#include "program/recipe.h"
#include "trace/trace.h"

namespace headlight {

// The numbers from 0 to count − 1 in an order drawn from the seed; the same on every machine.
std::vector<Index> drawn_order(Index count, std::uint64_t seed);

// A trace's output, and that of the same patches in another order, row by row where each patch
// went.
struct OrderEffect {
    double difference = 0;  // the largest of a number of the patches' outputs
    double largest = 0;     // number of the output itself
    std::optional<Index> answer, answer_shuffled;  // the most probable class, of a classifier
};

// Runs the walk's model on its patches, and on the same patches with patch order[i] in the place of
// patch i: once as the recipe has it, once without positions. Without them a transformer is
// equivariant: the output is the same set, shuffled, up to rounding, as long as nothing else says
// where a token stands (a mask may).
// Throws RecipeError for T2T, whose tokens overlap, and for attention maps; Stopped.
struct ShuffleEffects {
    OrderEffect with_positions, without_positions;
};
ShuffleEffects shuffle_patches(const Trace& trace, const Recipe& recipe,
                               const std::vector<Index>& order, const StopFlag& stop = {});

}  // namespace headlight
