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

// What each head of each layer reads: by block, then by head.
using LayerNumbers = std::vector<std::vector<HeadNumbers>>;

// Beside them what their maps can be computed from: by block.
using KeptLayers = std::vector<std::shared_ptr<const KeptAttention>>;
// Together they hold no more; layers beyond it are not kept (null).
inline constexpr std::size_t kMaxKeptBytes = std::size_t{320} * 1024 * 1024;

// What the inspector says about one matrix.
struct MatrixSummary {
    Statistics statistics;
    std::vector<Index> bins;  // between statistics.min and .max; all 0 where these are NaN
    double entropy = 0;       // attention only, the probe's too: mean over the rows, in bits
    RowSums sums;             // attention only
    Magnitudes sizes;         // attention only
};

// Numbers about a trace's matrices, made once beside the trace so that no view has to walk through
// millions of cells while it draws.
struct Summary {
    // By tensor, then by head; one entry where a tensor is not kept per head, none where it does
    // not exist.
    std::array<std::vector<MatrixSummary>, kTensorCount> matrices;
    std::array<std::uint64_t, kTensorCount> versions{};
    LayerNumbers layers;
    KeptLayers kept;
    SharedResult rollout;         // [N, N] over all layers; null: not asked for
    std::vector<Prediction> top;  // the most probable classes, where the model has a classifier

    [[nodiscard]] const MatrixSummary* find(Tensor tensor,
                                            Index head = 0) const;  // null: no such matrix
    // Smallest and largest finite value over all heads; NaN where no head has one.
    [[nodiscard]] RowSums range(Tensor tensor) const;
};

// Keeps a layer's attention among the others, where there is room for it.
void keep_attention(KeptLayers& kept, const Trace& layer);

// Summarises the first sample. Matrices that `previous` already knows, by their versions, are taken
// over. What was gathered while the layers were computed is added by the caller.
std::shared_ptr<Summary> summarise(const Trace& trace, const Summary* previous = nullptr);

}  // namespace headlight
