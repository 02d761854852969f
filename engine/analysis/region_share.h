#pragma once

#include <vector>

#include "analysis/kept_attention.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"
#include "patches/region.h"
#include "trace/trace.h"

// How much of a head's attention goes to a region of the picture: from 0 to 1, of all that the
// query gives, to whatever tokens.
namespace headlight {

// One query's sum over the region's patches. patches: its weights on all patches, row by row, as a
// matrix of any shape that has as many cells as the region's grid has patches.
double share_on_region(const MatrixView& patches, const Region& region);

// Of each head of a layer: the mean of that share over the queries that are patches of the region;
// NaN where the region is empty. layer: has its attention (run_encoder()), or is kept, which gives
// the same numbers bit for bit. region: on the layer's own grid. Throws Stopped.
std::vector<double> shares_within_region(const Trace& layer, const Region& region);
std::vector<double> shares_within_region(const KeptAttention& layer, const Region& region,
                                         const StopFlag& stop = {});

}  // namespace headlight
