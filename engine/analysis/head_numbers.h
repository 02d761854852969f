#pragma once

#include <vector>

#include "analysis/error.h"
#include "analysis/head_measures.h"
#include "kernels/matrix.h"
#include "kernels/stop.h"

namespace headlight {

// The measures of every run, for each head of one sample's self-attention [H·N, N], N =
// layout.count(). They are means over the queries. NaN if a query that counts has NaN, or if no
// query counts. `grid` gives the positions of the patches; without a grid, measures of position are
// NaN.
//
// Reads the attention once, in parallel. Equal calls give equal bits for any number of threads.
// Throws AnalysisError if attention, layout and grid do not fit together, Stopped on a stop
// request.
std::vector<HeadNumbers> head_numbers(const MatrixView& attention, Index heads,
                                      const TokenLayout& layout, const PatchGrid& grid,
                                      const StopFlag& stop = {});

}  // namespace headlight
