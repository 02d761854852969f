#pragma once

#include <memory>
#include <vector>

#include "analysis/rings.h"
#include "analysis/summary.h"
#include "encoder/branches.h"
#include "tasks/studies.h"

// Measurements of a layer's heads and of all layers' branches, computed in background tasks.
namespace headlight {

struct BranchQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that `trace` was computed with

    // Another layer gives another trace, but the same question.
    friend bool operator==(const BranchQuestion& a, const BranchQuestion& b);
};
using BranchFinder = Study<BranchQuestion, std::vector<BranchSizes>>;
extern const BranchFinder kBranches;

// By head: how its attention is distributed over distance from the query, over all query patches.
std::vector<RingProfile> rings_of(const KeptAttention& layer, const StopFlag& stop = {});

struct RingQuestion {
    std::shared_ptr<const KeptAttention> layer;

    friend bool operator==(const RingQuestion&, const RingQuestion&) = default;
};
using RingFinder = Study<RingQuestion, std::vector<RingProfile>>;
extern const RingFinder kRings;

}  // namespace headlight
