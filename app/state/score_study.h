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

// The layer with other score functions, and the effect of 1/√d, computed in background tasks.
namespace headlight {

struct ScoreQuestion {
    std::shared_ptr<const Trace> trace;
    Recipe recipe;  // that the trace was computed with

    friend bool operator==(const ScoreQuestion&, const ScoreQuestion&) = default;
};
struct StudiedScore {
    ScoreMap map;
    std::vector<Statistics> heads;  // of each head's scores; empty if it is refused
};

struct SpreadQuestion {
    std::shared_ptr<const Trace> trace;
    int head = 0;
    std::uint64_t seed = 0;  // of the random queries and keys

    friend bool operator==(const SpreadQuestion&, const SpreadQuestion&) = default;
};
struct SpreadStudy {
    Index tokens = 0;  // random tokens: as many as the trace has, at most kMostDrawn
    std::vector<WidthSpread> widths{};
    WidthSpread own{};  // for the head's own queries and keys, at its own width
};
inline constexpr Index kMostDrawn = 256;

using ScoreFinder = Study<ScoreQuestion, std::vector<StudiedScore>>;
using SpreadFinder = Study<SpreadQuestion, SpreadStudy>;

extern const ScoreFinder kScores;
extern const SpreadFinder kSpreads;

}  // namespace headlight
