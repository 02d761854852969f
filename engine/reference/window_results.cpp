#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "attention/window.h"
#include "reference/named_results.h"

namespace headlight {

namespace {

bool has_pairs_of_tokens(Tensor tensor) {
    const TensorInfo& about = info(tensor);
    return about.per_head && about.rows == Axis::token && about.cols == Axis::key_token;
}

// Copies the [n, n] blocks of windows out of an [N, N] matrix, stacked by row.
void gather(const MatrixView& all, std::span<const Index> tokens, Matrix& windows, Index first) {
    const auto area = static_cast<Index>(tokens.size());
    for (Index row = 0; row < area; ++row) {
        const float* from = all.row(tokens[static_cast<std::size_t>(row)]);
        for (Index col = 0; col < area; ++col)
            windows(first + row, col) = from[tokens[static_cast<std::size_t>(col)]];
    }
}

}  // namespace

ShapedResult shaped_for_file(const Trace& trace, Tensor tensor) {
    ShapedResult whole = shaped(trace, tensor);
    const std::optional<Windows> windows = windows_of(trace, trace.node(Step::mask));
    if (!windows || !has_pairs_of_tokens(tensor) || trace.on_demand(tensor)) return whole;
    const Index tokens = trace.shape.queries, area = Index{windows->size()} * windows->size(),
                count = tokens / area, heads = trace.shape.heads, batch = whole.shape[0];
    const std::vector<Index> order = tokens_by_window(*windows, tokens);
    Matrix gathered(batch * count * heads * area, area);
    Index row = 0;
    for (Index b = 0; b < batch; ++b)
        for (Index w = 0; w < count; ++w)
            for (Index h = 0; h < heads; ++h, row += area)
                gather(whole.blocks[static_cast<std::size_t>(b * heads + h)],
                       std::span(order).subspan(static_cast<std::size_t>(w * area),
                                                static_cast<std::size_t>(area)),
                       gathered, row);
    SharedResult kept = make_result(std::move(gathered));
    const MatrixView view = kept->view();
    return {{batch * count, heads, area, area}, {view}, std::move(kept)};
}

}  // namespace headlight
