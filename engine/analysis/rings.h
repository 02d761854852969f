#pragma once

#include <vector>

#include "analysis/error.h"
#include "kernels/matrix.h"
#include "patches/patches.h"
#include "patches/token_layout.h"

namespace headlight {

// How a head's attention lies around the patches that read: the share of it that goes so far.
struct RingProfile {
    // By ring: means over the queries. Ring r holds the patches whose centers are r patches away,
    // rounded; ring 0 is the patch itself. The rings of a head add up to what it gives to patches.
    std::vector<double> mass;
    // What a head would give there that reads all tokens alike: rings have more patches the farther
    // they are, and at the border fewer.
    std::vector<double> even;
};

// Takes some queries after others.
class RingSums {
  public:
    // Throws AnalysisError unless the grid has a place for each patch of the layout.
    RingSums(const TokenLayout& layout, const PatchGrid& grid, Index heads);

    // Consecutive queries' rows of each head's attention, [H·count, N], the heads one below the
    // other. Tokens before the patches lie nowhere and are passed over. Heads are shared among the
    // threads; equal calls give equal bits, in blocks of any size. Throws AnalysisError for another
    // size.
    void add(Index first, const MatrixView& rows);

    [[nodiscard]] Index rings() const { return rings_; }
    [[nodiscard]] std::vector<RingProfile> means() const;  // by head; NaN without a query

  private:
    using Rings = std::vector<int>;  // of each patch: how far it is from the one that reads
    [[nodiscard]] Rings around(Index patch) const;

    TokenLayout layout_;
    std::vector<double> x_, y_;  // of each patch's center, in patches
    Index rings_ = 0, queries_ = 0;
    std::vector<std::vector<double>> mass_;  // by head, then by ring
    std::vector<double> even_;
};

}  // namespace headlight
