#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/patches.h"
#include "patches/token_layout.h"

namespace headlight {

// How a head's attention is distributed over the distance from the query's patch.
struct RingProfile {
    // By ring: means over the queries. Ring r holds the patches whose centers are r patches away,
    // rounded; ring 0 is the patch itself. The sum over the rings is the head's attention to
    // patches.
    std::vector<double> mass;
    // The values for uniform attention to all tokens: outer rings have more patches, and rings at
    // the border fewer.
    std::vector<double> even;
};

// Accumulates ring profiles over queries.
class RingSums {
  public:
    // Throws AnalysisError unless the grid has one cell per patch of the layout.
    RingSums(const TokenLayout& layout, const PatchGrid& grid, Index heads);

    // Adds the rows of consecutive queries, [H·count, N], heads stacked by row. Skips tokens before
    // the patches, which have no place. Threads share the heads; the result is bit for bit the same
    // for blocks of any size. Throws AnalysisError for another shape.
    void add(Index first, const MatrixView& rows);

    [[nodiscard]] Index rings() const { return rings_; }
    [[nodiscard]] std::vector<RingProfile> means() const;  // by head; NaN if there was no query

  private:
    using Rings = std::vector<int>;  // the ring of each patch around the query's patch
    [[nodiscard]] Rings around(Index patch) const;

    TokenLayout layout_;
    std::vector<double> x_, y_;  // centers of the patches, in patches
    Index rings_ = 0, queries_ = 0;
    std::vector<std::vector<double>> mass_;  // by head, then by ring
    std::vector<double> even_;
};

}  // namespace headlight
