#pragma once

#include <vector>

#include "analysis/error.h"
#include "analysis/head_measures.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

namespace headlight {

// The measures of every run, for each head of one sample's self-attention [H·N, N],
// N = layout.count(): means over the queries, NaN where a query that counts has NaN, or none
// counts. The patches lie where `grid` says; without one, measures of places are NaN.
//
// Reads the memory once, in parallel; equal calls give equal bits, whatever the number of threads.
// Throws AnalysisError where attention, layout and grid do not fit together, Stopped when told to
// stop.
std::vector<HeadNumbers> head_numbers(const MatrixView& attention, Index heads,
                                      const TokenLayout& layout, const PatchGrid& grid,
                                      const StopFlag& stop = {});

}  // namespace headlight
