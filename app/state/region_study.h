#pragma once

#include <memory>
#include <vector>

#include "analysis/summary.h"
#include "patches/region.h"
#include "tasks/studies.h"
#include "trace/trace.h"

// How much of each head's attention stays within a region, computed in a background task.
namespace headlight {

struct RegionQuestion {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Summary> summary;  // of `trace`
    Region region;

    friend bool operator==(const RegionQuestion&, const RegionQuestion&) = default;
};
// By block, then by head (analysis/region_share.h); empty where a layer's attention is not kept.
using RegionShares = std::vector<std::vector<double>>;
using RegionFinder = Study<RegionQuestion, RegionShares>;
extern const RegionFinder kWithinRegion;

}  // namespace headlight
