#pragma once

#include <memory>
#include <vector>

#include "analysis/rings.h"
#include "analysis/summary.h"
#include "encoder/branches.h"
#include "tasks/studies.h"

// What is asked of a layer's heads, and of all layers' branches, beside the interface.
namespace headlight {

struct BranchQuestion {
    std::shared_ptr<const Trace> trace;
    Counterfactual change;  // that it was made under

    // A look at another layer is another trace, but no other question.
    friend bool operator==(const BranchQuestion& a, const BranchQuestion& b);
};
using BranchFinder = Study<BranchQuestion, std::vector<BranchSizes>>;
extern const BranchFinder kBranches;

// By head: how far around a patch the head's attention lies, over all patches that ask.
std::vector<RingProfile> rings_of(const KeptAttention& layer, const StopFlag& stop = {});

struct RingQuestion {
    std::shared_ptr<const KeptAttention> layer;

    friend bool operator==(const RingQuestion&, const RingQuestion&) = default;
};
using RingFinder = Study<RingQuestion, std::vector<RingProfile>>;
extern const RingFinder kRings;

}  // namespace headlight
