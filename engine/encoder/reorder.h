#pragma once

#include <vector>

#include "analysis/pointing.h"
#include "analysis/prediction.h"
#include "patches/patch_order.h"
#include "program/recipe.h"
#include "trace/trace.h"

// The same tokens in another order: what a transformer makes of them.
namespace headlight {

// Which tokens change places: the patches of a picture, or all that were given instead.
struct OrderedTokens {
    Index prefix = 0;  // tokens before them, which stay
    int rows = 0, cols = 0;

    [[nodiscard]] Index count() const { return Index{rows} * cols; }
};
// Throws RecipeError where there is no such order: attention maps alone, queries of their own,
// T2T's tokens, which overlap.
OrderedTokens tokens_to_order(const Trace& trace);

// What the model makes of them in one order.
struct OrderedRun {
    SharedResult output;              // [N, D], as the tokens lie in that order
    std::vector<Prediction> answers;  // of a classifier the most probable ones, the first first
    std::vector<Pointing> pointing;   // of each place, where the model points
};
inline constexpr Index kAnswers = 3;

// Runs the walk's model on its tokens, token order[i] in the place of token i: as the recipe has
// it, or without positions. Requires an order of tokens_to_order(). Throws RecipeError as that
// does; Stopped.
enum class Positions { as_they_are, none };
OrderedRun run_in_order(const Trace& trace, const Recipe& recipe, Positions positions,
                        const std::vector<Index>& order, const StopFlag& stop = {});

// An output beside that of the same tokens in another order, after each went back to its place.
// Without positions a transformer is equivariant: the output is the same set in the other order, up
// to rounding, as long as nothing else says where a token stands (a mask may).
struct OrderEffect {
    OrderedRun plain, changed;
    SharedResult difference;  // [N, D]: changed, sorted back, − plain
    double most = 0;          // the largest number of `difference`
    double largest = 0;       // of plain.output
};
OrderEffect compare_orders(OrderedRun plain, OrderedRun changed, Index prefix,
                           const std::vector<Index>& order);

}  // namespace headlight
