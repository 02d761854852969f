#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analysis/head_numbers.h"
#include "analysis/kept_attention.h"
#include "analysis/magnitudes.h"
#include "analysis/prediction.h"
#include "analysis/statistics.h"
#include "trace/trace.h"

namespace headlight {

inline constexpr int kHistogramBins = 48;
inline constexpr int kTopClasses = 5;

// The measures of each head: by block, then by head.
using LayerNumbers = std::vector<std::vector<HeadNumbers>>;

// What the maps of each layer can be computed from, by block.
using KeptLayers = std::vector<std::shared_ptr<const KeptAttention>>;
// Limit for all of them together; layers beyond it are not kept (null).
inline constexpr std::size_t kMaxKeptBytes = std::size_t{320} * 1024 * 1024;

// What the inspector shows about one matrix.
struct MatrixSummary {
    Statistics statistics;
    std::vector<Index> bins;  // between statistics.min and .max; all 0 if these are NaN
    double entropy = 0;       // only for attention, including pooling: mean over the rows, in bits
    RowSums sums;             // only for attention
    Magnitudes sizes;         // only for attention
};

// Statistics of a trace's matrices, computed once per trace. So views need not scan millions of
// cells while they draw.
struct Summary {
    // By tensor, then by head. One entry for tensors not stored per head, none for missing tensors.
    std::array<std::vector<MatrixSummary>, kTensorCount> matrices;
    std::array<std::uint64_t, kTensorCount> versions{};
    LayerNumbers layers;
    KeptLayers kept;
    SharedResult rollout;         // [N, N] over all layers; null: not requested
    std::vector<Prediction> top;  // the most probable classes, if the model has a classifier

    [[nodiscard]] const MatrixSummary* find(Tensor tensor,
                                            Index head = 0) const;  // null: no such matrix
    // Smallest and largest finite value over all heads; NaN if there is none.
    [[nodiscard]] RowSums range(Tensor tensor) const;
};

// Adds a layer's attention to `kept`, if there is room.
void keep_attention(KeptLayers& kept, const Trace& layer);

// Summarizes the first sample. Reuses the entries of `previous` whose versions have not changed.
// The caller adds what was collected while the layers were computed.
std::shared_ptr<Summary> summarise(const Trace& trace, const Summary* previous = nullptr);

}  // namespace headlight
