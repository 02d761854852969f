#pragma once

#include <memory>
#include <vector>

#include "gradient/map_curves.h"
#include "state/state.h"
#include "tasks/studies.h"

// Deletion and insertion curves of a class map beside those of other orders of the patches,
// computed in a background task. The numbers are those of `headlight curves`.
namespace headlight {

struct MapCurvesAsked {
    std::shared_ptr<const Trace> trace;  // complete, of a model with classes
    Counterfactual change;               // that `trace` was computed with
    std::vector<PatchRanking> rankings;
    Index of_class = 0;

    // Another layer gives another trace, but the same question.
    friend bool operator==(const MapCurvesAsked& a, const MapCurvesAsked& b);
};
// Parallel to the rankings of the question; shorter while the rest is being computed.
using MapCurvesFinder = Study<MapCurvesAsked, std::vector<MapCurves>>;
extern const MapCurvesFinder kMapCurves;

// This method, and what to compare it with: attention, its rollout if the layers have one, and a
// random order.
std::vector<PatchRanking> rankings_beside(MapMethod method, const Trace& trace,
                                          const Counterfactual& change);

}  // namespace headlight
