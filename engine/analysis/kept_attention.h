#pragma once

#include <cstddef>
#include <memory>

#include "analysis/error.h"
#include "attention/query_blocks.h"
#include "kernels/matrix.h"
#include "kernels/result.h"
#include "kernels/stop.h"
#include "patches/patches.h"
#include "patches/token_layout.h"
#include "trace/trace.h"

namespace headlight {

// A layer's attention in little room: its queries and keys, of which any query's row or any key's
// column is computed again when somebody asks. O(N·C) where the attention itself is O(H·N²); where
// that is the smaller of both, or all that there is, it is kept itself.
class KeptAttention {
  public:
    // Of the first sample of a layer that has its attention. Throws AnalysisError where it has none
    // among its own tokens.
    explicit KeptAttention(const Trace& layer);

    [[nodiscard]] Index heads() const { return shape_.heads; }
    [[nodiscard]] const TokenLayout& layout() const { return layout_; }
    [[nodiscard]] const PatchGrid& grid() const { return grid_; }
    [[nodiscard]] std::size_t bytes() const;  // that it holds of its own

    // What the token reads: its row of each head's attention, [H, N]. What it is read by: its
    // column. Bit for bit the layer's attention, on as many threads. Throws AnalysisError for a
    // token that there is not, Stopped when told to stop.
    [[nodiscard]] Matrix of_query(Index token, const StopFlag& stop = {}) const;
    [[nodiscard]] Matrix of_key(Index token, const StopFlag& stop = {}) const;

    // What all tokens read, in their order: one block of queries after the other, or all at once;
    // the rows of each head, [H·count, N]. In a small part of the time that so many calls of
    // of_query() would take, and the same bit for bit.
    void for_queries(const TakeQueries& take, const StopFlag& stop = {}) const;

  private:
    void check(Index token) const;

    AttentionShape shape_;  // of one sample
    TokenLayout layout_;
    PatchGrid grid_;
    Matrix query_, key_;      // [N, C], the heads side by side; or empty, and
    SharedResult attention_;  // [B·H·N, N]
    float factor_ = 1;
    std::shared_ptr<const Mask> mask_;
};

}  // namespace headlight
