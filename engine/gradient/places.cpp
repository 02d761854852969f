#include <algorithm>
#include <utility>

#include "gradient/rules.h"
#include "kernels/recycle.h"

// Operations that move values to other places.
namespace headlight::gradient {

// Swin's merging: each of the four parts goes back to its token. The parts are in the order (row,
// column) = (0, 0), (1, 0), (0, 1), (1, 1). (backward.cpp handles the step from patches to pixels.)
void back_gather(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    const Index tokens = trace.grid.count(), cols = trace.grid.cols, width = dy.cols() / 4;
    Matrix dx = new_matrix(4 * dy.rows(), width);
    for (Index row = 0; row < dy.rows(); ++row)
        for (Index part = 0; part < 4; ++part) {
            const Index token = row % tokens;
            const Index down = 2 * (token / cols) + part % 2,
                        across = 2 * (token % cols) + part / 2;
            dx.row(row / tokens * 4 * tokens + down * 2 * cols + across) =
                dy.block(row, part * width, 1, width);
        }
    gradients.add(node.operands[0], std::move(dx));
}

// Only the patches, below the learned tokens, get a gradient.
void back_stack(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    const Index batch = trace.shape.batch, rows = dy.rows() / batch,
                patches = trace.all(node.operands[1]).rows / batch;
    Matrix dx = new_matrix(batch * patches, dy.cols());
    for (Index b = 0; b < batch; ++b)
        dx.middleRows(b * patches, patches) = dy.middleRows((b + 1) * rows - patches, patches);
    gradients.add(node.operands[1], std::move(dx));
}

// Results: queries, keys, values, and V of all heads.
void back_cut(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const auto& [heads, head_dim, value_dim, all_alike] = node.get<CutParameters>();
    const bool packed = node.operands.size() == 1;
    const Index width = heads * head_dim;
    for (std::size_t i = 0; i < node.results.size(); ++i) {
        if (!gradients.has(node.results[i])) continue;
        const Tensor from = i == 0 ? node.operands.front() : node.operands.back();
        // The part of that matrix: of Q, K and V, or of K and V.
        const Index part = std::min<Index>(static_cast<Index>(i), 2) - (packed || i == 0 ? 0 : 1);
        const MatrixView whole = trace.all(from);
        gradients.add_columns(from, whole.rows, whole.cols, all_alike ? 0 : part * width,
                              gradients.of(node.results[i]));
    }
}

void back_turn(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    const Index side = dy.cols();
    Matrix dx = new_matrix(dy.rows(), side);
    for (Index first = 0; first < dy.rows(); first += side)
        dx.middleRows(first, side) = dy.middleRows(first, side).transpose();
    gradients.add(node.operands[0], std::move(dx));
}

void back_pool(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    const MatrixView tokens = trace.all(node.operands[0]);
    const Index batch = trace.shape.batch, rows = tokens.rows / batch, width = tokens.cols,
                prefix = trace.model->prefix.count(), patches = rows - prefix;
    const Pooling pooling = node.get<PoolParameters>().pooling;
    Matrix dx = Matrix::Zero(tokens.rows, width);
    for (Index b = 0; b < batch; ++b) {
        auto sample = dx.middleRows(b * rows, rows);
        const Index of_mean = pooling == Pooling::class_and_patches ? width : 0;
        if (pooling == Pooling::patches || pooling == Pooling::class_and_patches)
            sample.bottomRows(patches).rowwise() +=
                dy.row(b).segment(of_mean, width) / static_cast<float>(patches);
        if (pooling != Pooling::patches) sample.row(0) += dy.row(b).leftCols(width);
        if (pooling == Pooling::class_and_distillation) sample.row(1) += dy.row(b).rightCols(width);
    }
    gradients.add(node.operands[0], std::move(dx));
}

}  // namespace headlight::gradient
