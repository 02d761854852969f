#pragma once

#include <string>
#include <vector>

#include "attention/variant.h"
#include "program/recipe.h"
#include "trace/trace.h"

namespace headlight {

// One layer's scores under one score function; everything else stays the same.
struct ScoreMap {
    Score score = Score::scaled_dot;
    std::string equation;    // of the node that computes the products, for ui::parse_equation
    SharedResult scores{};   // [H·N, M], before softmax, with the layer's mask; null: refused
    SharedResult weights{};  // [H·N, M], the attention weights
    std::string why_not{};   // one sentence, if refused
};

// The scores of the trace's layer under each of all_scores(). The layer must be a bare layer with
// queries and keys. For the first layer they equal, bit for bit, those of a walk with that score.
// For later layers, the layers before keep their score, so queries and keys stay the same. `recipe`
// is the trace's. A drawn layer draws missing score weights; a file without them is refused. Throws
// RecipeError if there are no scores to compare (a whole model, a Performer, attention maps), and
// Stopped.
std::vector<ScoreMap> maps_of_scores(const Trace& trace, const Recipe& recipe,
                                     const StopFlag& stop = {});

// True if maps_of_scores() applies to the trace.
bool has_scores_to_choose(const Trace& trace);

}  // namespace headlight
