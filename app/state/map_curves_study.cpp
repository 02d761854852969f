#include "state/map_curves_study.h"

#include "state/class_map_study.h"
#include "state/layer_studies.h"

namespace headlight {

namespace {

// Starts from the patches, as the command line does, so that the numbers are equal to the last bit.
std::vector<MapCurves> compute_map_curves(const MapCurvesAsked& question,
                                          const MapCurvesFinder::Run& run) {
    const Trace front = back_to_patches(*question.trace);
    const float share = 1.0F / static_cast<float>(question.rankings.size());
    std::vector<MapCurves> found;
    for (const PatchRanking& ranking : question.rankings) {
        MapCurvesQuestion asked;
        asked.ranking = ranking;
        asked.of_class = question.of_class;
        const auto watch = run.watch(share * static_cast<float>(found.size()), share);
        found.push_back(map_curves(front, question.change, asked, run.stop,
                                   [&](const std::string&, float part) { watch(part); }));
        run.publish(found);
    }
    return found;
}

}  // namespace

bool operator==(const MapCurvesAsked& a, const MapCurvesAsked& b) {
    return a.rankings == b.rankings && a.of_class == b.of_class &&
           BranchQuestion{a.trace, a.change} == BranchQuestion{b.trace, b.change};
}

const MapCurvesFinder kMapCurves{.compute = compute_map_curves, .takes_long = true};

std::vector<PatchRanking> rankings_beside(MapMethod method, const Trace& trace,
                                          const Counterfactual& change) {
    std::vector<PatchRanking> rankings{method};
    for (const MapMethod other : {MapMethod::last_attention, MapMethod::rollout})
        if (other != method && is_possible(other, trace, change)) rankings.emplace_back(other);
    rankings.emplace_back(std::nullopt);
    return rankings;
}

}  // namespace headlight
