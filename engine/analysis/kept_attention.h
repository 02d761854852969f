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
    // That it holds of its own, or will once a column was asked for.
    [[nodiscard]] std::size_t bytes() const;

    // What the token reads: its row of each head's attention, [H, N]. What it is read by: its
    // column; the first that is asked for costs all rows, which leave what the others need of
    // them. Bit for bit the layer's attention, on as many threads. Throws AnalysisError for a token
    // that there is not, Stopped when told to stop. May be called from several threads.
    [[nodiscard]] Matrix of_query(Index token, const StopFlag& stop = {}) const;
    [[nodiscard]] Matrix of_key(Index token, const StopFlag& stop = {}) const;

    // What all tokens read, in their order: one block of queries after the other, or all at once;
    // the rows of each head, [H·count, N]. In a small part of the time that so many calls of
    // of_query() would take, and the same bit for bit.
    void for_queries(const TakeQueries& take, const StopFlag& stop = {}) const;

  private:
    void check(Index token) const;
    // What softmax divided each row by, [H·N]. Null: no column was asked for yet. Empty: no column
    // can be computed without the others.
    using RowScales = std::shared_ptr<const std::vector<RowScale>>;
    [[nodiscard]] RowScales rows() const;
    [[nodiscard]] Matrix first_column(Index token, const StopFlag& stop) const;

    AttentionShape shape_;  // of one sample
    TokenLayout layout_;
    PatchGrid grid_;
    Matrix query_, key_;      // [N, C], the heads side by side; or empty, and
    SharedResult attention_;  // [B·H·N, N]
    float factor_ = 1;
    std::shared_ptr<const Mask> mask_;
    mutable std::mutex guard_;  // of this
    mutable RowScales rows_;
};

}  // namespace headlight
