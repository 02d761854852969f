#pragma once

#include <string>
#include <vector>

#include "attention/variant.h"
#include "program/recipe.h"
#include "trace/trace.h"

namespace headlight {

// One layer's scores under one score function, all else being as it is.
struct ScoreMap {
    Score score = Score::scaled_dot;
    std::string equation;    // of the node that makes the products, for ui::parse_equation
    SharedResult scores{};   // [H·N, M], before the softmax, masked as the layer is; null: refused
    SharedResult weights{};  // [H·N, M], what follows from them
    std::string why_not{};   // one sentence, then
};

// Of the layer that the trace keeps, which must be a bare one with queries and keys, under each of
// all_scores(): of the first layer, bit for bit what a walk with that score computes; behind
// others, which keep their score here, of the same queries and keys. `recipe` made the trace.
// Weights that a drawn layer lacks are drawn; a file that lacks them is refused. Throws RecipeError
// where nothing can be scored: a whole model, a performer, attention maps; Stopped.
std::vector<ScoreMap> maps_of_scores(const Trace& trace, const Recipe& recipe,
                                     const StopFlag& stop = {});

// Whether it can be asked of the trace.
bool has_scores_to_choose(const Trace& trace);

}  // namespace headlight
