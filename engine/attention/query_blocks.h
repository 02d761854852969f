#pragma once

#include <functional>

#include "attention/layer.h"

namespace headlight {

// Receives the attention rows of consecutive queries from `first` on, [B·H·count, M].
using TakeQueries = std::function<void(Index first, const MatrixView& rows)>;

// Passes the rows of attention_of(), bit for bit, to `take` in blocks of consecutive queries. Only
// one block is in memory at a time. Throws Stopped.
void for_query_blocks(const MatrixView& query, const MatrixView& key, float factor,
                      const Mask* mask, const AttentionShape& shape, const TakeQueries& take,
                      const StopFlag& stop = {});

}  // namespace headlight
