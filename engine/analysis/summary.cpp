#include "analysis/summary.h"

#include <cmath>
#include <utility>

#include "kernels/parallel.h"

namespace headlight {

namespace {

// True for weights of a weighted sum, and for attention before its transposition.
bool is_attention(Tensor tensor) {
    return tensor == Tensor::attention || tensor == Tensor::pool_attention ||
           tensor == Tensor::attention_turned;
}

MatrixSummary summarise_matrix(const MatrixView& matrix, bool shares) {
    MatrixSummary summary;
    summary.statistics = statistics(matrix);
    summary.bins =
        histogram(matrix, summary.statistics.min, summary.statistics.max, kHistogramBins);
    if (shares) {
        summary.entropy = mean_entropy(matrix);
        summary.sums = row_sums(matrix);
        summary.sizes.add(matrix);
    }
    return summary;
}

}  // namespace

const MatrixSummary* Summary::find(Tensor tensor, Index head) const {
    const auto& of_tensor = matrices[static_cast<std::size_t>(tensor)];
    if (of_tensor.empty()) return nullptr;
    const auto index = info(tensor).per_head ? static_cast<std::size_t>(head) : 0;
    return index < of_tensor.size() ? &of_tensor[index] : nullptr;
}

RowSums Summary::range(Tensor tensor) const {
    RowSums range{Statistics::kUnknown, Statistics::kUnknown};
    for (const MatrixSummary& m : matrices[static_cast<std::size_t>(tensor)]) {
        // fmin and fmax ignore a NaN.
        range.min = std::fmin(range.min, m.statistics.min);
        range.max = std::fmax(range.max, m.statistics.max);
    }
    return range;
}

void keep_attention(KeptLayers& kept, const Trace& layer) {
    const auto block = static_cast<std::size_t>(layer.layer);
    if (kept.size() <= block) kept.resize(block + 1);
    kept[block].reset();
    auto attention = std::make_shared<const KeptAttention>(layer);
    std::size_t bytes = attention->bytes();
    for (const auto& other : kept) bytes += other ? other->bytes() : 0;
    if (bytes <= kMaxKeptBytes) kept[block] = std::move(attention);
}

std::shared_ptr<Summary> summarise(const Trace& trace, const Summary* previous) {
    auto summary = std::make_shared<Summary>();
    struct Job {
        Tensor tensor;
        std::size_t head;
    };
    std::vector<Job> jobs;
    for (const TensorInfo& tensor : all_tensors()) {
        const auto t = static_cast<std::size_t>(tensor.id);
        if (!trace.has(tensor.id) || trace.on_demand(tensor.id)) continue;
        summary->versions[t] = trace.version(tensor.id);
        const auto heads = tensor.per_head ? static_cast<std::size_t>(trace.shape.heads) : 1;
        // Q, K and V are views of one result; with another number of heads the same result is split
        // differently.
        if (previous != nullptr && previous->versions[t] == summary->versions[t] &&
            previous->matrices[t].size() == heads) {
            summary->matrices[t] = previous->matrices[t];
            continue;
        }
        summary->matrices[t].resize(heads);
        for (std::size_t h = 0; h < heads; ++h) jobs.push_back({tensor.id, h});
    }
    parallel_for(static_cast<Index>(jobs.size()), [&](Index i) {
        const auto [tensor, head] = jobs[static_cast<std::size_t>(i)];
        summary->matrices[static_cast<std::size_t>(tensor)][head] =
            summarise_matrix(trace.view(tensor, 0, static_cast<Index>(head)), is_attention(tensor));
    });
    if (trace.has(Tensor::logits) && !trace.model->gives_embedding)
        summary->top = top_predictions(trace.view(Tensor::logits), kTopClasses);
    return summary;
}

}  // namespace headlight
