#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/score_spread.h"
#include "analysis/statistics.h"
#include "encoder/score_maps.h"
#include "program/recipe.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// What other score functions would make of a layer, and what 1/√d is for, computed beside the
// interface.
namespace headlight {

struct ScoreQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that it was made by

    friend bool operator==(const ScoreQuestion&, const ScoreQuestion&) = default;
};
struct StudiedScore {
    ScoreMap map;
    std::vector<Statistics> heads;  // of each head's scores; none where it is refused
};

struct SpreadQuestion {
    std::shared_ptr<const Trace> trace;
    int head = 0;
    std::uint64_t seed = 0;  // of the drawn queries and keys

    friend bool operator==(const SpreadQuestion&, const SpreadQuestion&) = default;
};
struct SpreadStudy {
    Index tokens = 0;  // drawn: as many as the trace has, at most kMostDrawn
    std::vector<WidthSpread> widths{};
    WidthSpread own{};  // of the head's own queries and keys, at its own width
};
inline constexpr Index kMostDrawn = 256;

using ScoreFinder = Study<ScoreQuestion, std::vector<StudiedScore>>;
using SpreadFinder = Study<SpreadQuestion, SpreadStudy>;

extern const ScoreFinder kScores;
extern const SpreadFinder kSpreads;

}  // namespace headlight
