#include <algorithm>
#include <utility>

#include "gradient/rules.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "kernels/recycle.h"
#include "ops/table.h"

namespace headlight::gradient {

namespace {

// left · right, in blocks of rows on all threads.
Matrix times(const MatrixView& left, const MatrixView& right, const StopFlag& stop) {
    constexpr Index kLeastRows = 32;
    Matrix out = new_matrix(left.rows, right.cols);
    const Index block = std::max<Index>(kLeastRows, ceil_div(left.rows, threads()));
    parallel_rows(left.rows, block, [&](Index first, Index rows) {
        throw_if_stopped(stop);
        multiply(left.block(first, 0, rows, left.cols), right,
                 MatrixSpan(out).block(first, 0, rows, out.cols()));
    });
    return out;
}

}  // namespace

// y = x · Wᵀ + b, so dx = dy · W.
void back_linear(const Node& node, const Trace&, Gradients& gradients, const StopFlag& stop) {
    gradients.add(node.operands[0],
                  times(result_gradient(node, gradients), node.weights[0].value->view(), stop));
}

// The same, with a separate weight for each head.
void back_linear_heads(const Node& node, const Trace& trace, Gradients& gradients,
                       const StopFlag& stop) {
    const Matrix dy = result_gradient(node, gradients);
    const MatrixView weight = node.weights[0].value->view();
    const Index heads = trace.shape.heads, out = weight.rows / heads, in = weight.cols;
    Matrix dx = new_matrix(dy.rows(), heads * in);
    parallel_for(heads, [&](Index h) {
        throw_if_stopped(stop);
        multiply(MatrixView(dy).block(0, h * out, dy.rows(), out),
                 weight.block(h * out, 0, out, in), MatrixSpan(dx).block(0, h * in, dx.rows(), in));
    });
    gradients.add(node.operands[0], std::move(dx));
}

// P = Q · Kᵀ of each head: dQ = dP · K, dK = dPᵀ · Q.
void back_multiply(const Node& node, const Trace& trace, Gradients& gradients,
                   const StopFlag& stop) {
    const Matrix dp = result_gradient(node, gradients);
    const MatrixView query = trace.all(node.operands[0]), key = trace.all(node.operands[1]);
    const AttentionShape shape = ops::shape_of(node, trace);
    const Index n = shape.queries, m = shape.keys, width = query.cols / shape.heads;
    Matrix dq = new_matrix(query.rows, query.cols), dk = new_matrix(key.rows, key.cols);
    parallel_for(shape.batch * shape.heads, [&](Index i) {
        throw_if_stopped(stop);
        const Index sample = i / shape.heads, col = i % shape.heads * width;
        const MatrixView of_head = MatrixView(dp).block(i * n, 0, n, m);
        multiply(of_head, key.block(sample * m, col, m, width),
                 MatrixSpan(dq).block(sample * n, col, n, width));
        dk.block(sample * m, col, m, width).noalias() =
            of_head.eigen().transpose() * query.block(sample * n, col, n, width).eigen();
    });
    gradients.add(node.operands[0], std::move(dq));
    gradients.add(node.operands[1], std::move(dk));
}

// O = A · V of each head: dA = dO · Vᵀ, dV = Aᵀ · dO. A switched-off head passes no gradient.
void back_mix(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag& stop) {
    const Matrix d_output = result_gradient(node, gradients);
    const MatrixView attention = trace.all(node.operands[0]), value = trace.all(node.operands[1]);
    const AttentionShape shape = ops::shape_of(node, trace);
    const auto& off = node.get<MixParameters>().switched_off;
    const Index n = shape.queries, m = shape.keys, width = shape.value_width();
    Matrix da = new_matrix(attention.rows, attention.cols), dv = new_matrix(value.rows, value.cols);
    parallel_for(shape.batch * shape.heads, [&](Index i) {
        throw_if_stopped(stop);
        const Index sample = i / shape.heads, head = i % shape.heads, col = head * width;
        auto dv_of_head = dv.block(sample * m, col, m, width);
        if (std::ranges::find(off, head) != off.end()) {
            da.middleRows(i * n, n).setZero();
            dv_of_head.setZero();
            return;
        }
        const MatrixView of_head = MatrixView(d_output).block(sample * n, col, n, width);
        multiply_transposed(of_head, value.block(sample * m, col, m, width),
                            MatrixSpan(da).block(i * n, 0, n, m));
        dv_of_head.noalias() =
            attention.block(i * n, 0, n, m).eigen().transpose() * of_head.eigen();
    });
    gradients.add(node.operands[0], std::move(da));
    gradients.add(node.operands[1], std::move(dv));
}

}  // namespace headlight::gradient
