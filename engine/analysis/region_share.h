#pragma once

#include <vector>

#include "analysis/kept_attention.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"
#include "patches/region.h"
#include "trace/trace.h"

// How much of a head's attention goes to a region of the picture: a fraction, 0 to 1, of all the
// query's attention weights.
namespace headlight {

// The sum of one query's attention weights over the region's patches. patches: its weights on all
// patches, row by row, as a matrix of any shape with one cell per patch of the region's grid.
double share_on_region(const MatrixView& patches, const Region& region);

// For each head of a layer: the mean of that fraction over the queries in the region; NaN if the
// region is empty. layer: has its attention (run_encoder()), or is a KeptAttention, which gives the
// same numbers bit for bit. region: on the layer's own grid. Throws Stopped.
std::vector<double> shares_within_region(const Trace& layer, const Region& region);
std::vector<double> shares_within_region(const KeptAttention& layer, const Region& region,
                                         const StopFlag& stop = {});

}  // namespace headlight
