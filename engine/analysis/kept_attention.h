#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/error.h"
#include "attention/query_blocks.h"
#include "kernels/matrix.h"
#include "kernels/result.h"
#include "kernels/softmax.h"
#include "kernels/stop.h"
#include "patches/patches.h"
#include "patches/token_layout.h"
#include "trace/trace.h"

namespace headlight {

// A layer's attention in compact form: its queries and keys, from which the row of any query or the
// column of any key is recomputed on request. This takes O(N·C) memory instead of O(H·N²). If the
// attention itself is smaller, or cannot be recomputed, it is stored directly.
class KeptAttention {
  public:
    // From the first sample of a layer. Throws AnalysisError unless the layer has self-attention.
    explicit KeptAttention(const Trace& layer);

    [[nodiscard]] Index heads() const { return shape_.heads; }
    [[nodiscard]] const TokenLayout& layout() const { return layout_; }
    [[nodiscard]] const PatchGrid& grid() const { return grid_; }
    // Bytes that it owns, including those that the first request for a column will add.
    [[nodiscard]] std::size_t bytes() const;

    // of_query: the token's row of each head's attention, [H, N]. of_key: its column, [H, N]. The
    // first column requires all rows, and stores what further columns need of them. Both equal the
    // layer's attention bit for bit. Throws AnalysisError for a token that does not exist, Stopped
    // on a stop request. Thread-safe.
    [[nodiscard]] Matrix of_query(Index token, const StopFlag& stop = {}) const;
    [[nodiscard]] Matrix of_key(Index token, const StopFlag& stop = {}) const;

    // Passes the rows of all queries to `take` in order, in blocks or all at once: [H·count, N].
    // Much faster than calling of_query() for each, and equal bit for bit.
    void for_queries(const TakeQueries& take, const StopFlag& stop = {}) const;

  private:
    void check(Index token) const;
    // The RowScale of each row of softmax, [H·N]. Null: no column was requested yet. Empty: a
    // single column cannot be computed.
    using RowScales = std::shared_ptr<const std::vector<RowScale>>;
    [[nodiscard]] RowScales rows() const;
    [[nodiscard]] Matrix first_column(Index token, const StopFlag& stop) const;

    AttentionShape shape_;  // for one sample
    TokenLayout layout_;
    PatchGrid grid_;
    Matrix query_, key_;      // [N, C], heads side by side; if empty, attention_ is set
    SharedResult attention_;  // [B·H·N, N]
    float factor_ = 1;
    std::shared_ptr<const Mask> mask_;
    mutable std::mutex guard_;  // guards rows_
    mutable RowScales rows_;
};

}  // namespace headlight
