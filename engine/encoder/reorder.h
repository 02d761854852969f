#pragma once

#include <vector>

#include "analysis/pointing.h"
#include "analysis/prediction.h"
#include "patches/patch_order.h"
#include "program/recipe.h"
#include "trace/trace.h"

// Running a model on the same tokens in another order.
namespace headlight {

// The tokens that are permuted: the patches of a picture, or all given tokens.
struct OrderedTokens {
    Index prefix = 0;  // number of tokens before them, which keep their place
    int rows = 0, cols = 0;

    [[nodiscard]] Index count() const { return Index{rows} * cols; }
};
// Throws RecipeError if the tokens cannot be reordered: for attention maps only, for
// cross-attention, and for T2T, whose tokens overlap.
OrderedTokens tokens_to_order(const Trace& trace);

// The model's results for one order.
struct OrderedRun {
    SharedResult output;              // [N, D], in that order
    std::vector<Prediction> answers;  // of a classifier: the most probable classes, in descending
                                      // order
    std::vector<Pointing> pointing;   // per position, where the model points
};
inline constexpr Index kAnswers = 3;

// Runs the model of the walk with token order[i] at position i, with the recipe's position
// embedding or without any. `order` must be a permutation for tokens_to_order(). Throws RecipeError
// as tokens_to_order(), and Stopped.
enum class Positions { as_they_are, none };
OrderedRun run_in_order(const Trace& trace, const Recipe& recipe, Positions positions,
                        const std::vector<Index>& order, const StopFlag& stop = {});

// Compares an output with that for another order of the same tokens, after moving each token back
// to its place. Without a position embedding a transformer is equivariant: the outputs are the same
// up to rounding error, unless something else depends on the position, such as a mask.
struct OrderEffect {
    OrderedRun plain, changed;
    SharedResult difference;  // [N, D]: `changed`, in the original order, minus `plain`
    double most = 0;          // largest absolute value of `difference`
    double largest = 0;       // largest absolute value of plain.output
};
OrderEffect compare_orders(OrderedRun plain, OrderedRun changed, Index prefix,
                           const std::vector<Index>& order);

}  // namespace headlight
