#pragma once

#include <functional>

#include "attention/layer.h"

namespace headlight {

// Of consecutive queries from `first` on: their rows of the attention, [B·H·count, M].
using TakeQueries = std::function<void(Index first, const MatrixView& rows)>;

// attention_of(), bit for bit, for who reads all of it once: block by block of queries, in their
// order, so that no more than a block of it is ever in memory. Throws Stopped.
void for_query_blocks(const MatrixView& query, const MatrixView& key, float factor,
                      const Mask* mask, const AttentionShape& shape, const TakeQueries& take,
                      const StopFlag& stop = {});

}  // namespace headlight
