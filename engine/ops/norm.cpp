#include "kernels/norm.h"

#include <cmath>
#include <utility>

#include "ops/table.h"

namespace headlight::ops {

namespace {

MatrixView view_of(const SharedResult& result) { return result ? result->view() : MatrixView{}; }

// γ above β, [2, C]; a missing β is zero.
SharedResult affine_of(const SharedResult& gamma, const SharedResult& beta) {
    Matrix rows = Matrix::Zero(2, gamma->view().cols);
    rows.row(0) = gamma->view().eigen();
    if (beta) rows.row(1) = beta->view().eigen();
    return make_result(std::move(rows));
}

// Explains the cell, given mean and standard deviation in `a`.
void normalise(Arithmetic& a, const Node& node, float x) {
    a.gamma = node.weights[0].value->view()(0, a.col);
    const SharedResult& beta = node.weights[1].value;
    a.beta = beta ? beta->view()(0, a.col) : 0.0F;
    a.sum = x;
    a.terms.push_back({x, 0, static_cast<float>(a.sum * a.gamma / a.deviation)});
    a.bias = a.beta;
    a.recomputed = (a.sum - a.mean) / a.deviation * a.gamma + a.beta;
}

}  // namespace

// Layer norm of each row. results[1]: mean and standard deviation of each row.
void compute_norm(const Node& node, Trace& trace, const Tools&) {
    const SharedResult &gamma = node.weights[0].value, &beta = node.weights[1].value;
    NormResult result = layer_norm(trace.all(node.operands[0]), gamma->view(), view_of(beta),
                                   node.get<NormParameters>().eps);
    trace.set(node.weights[0].name, affine_of(gamma, beta));
    trace.set(node.results[1], make_result(std::move(result.moments)));
    const SharedResult normalised = make_result(std::move(result.normalised));
    trace.set(node.results[0], normalised);
    if (node.results.size() > 2) trace.set(node.results[2], normalised);  // under another name
}

// Batch norm. operands[1]: running mean and standard deviation of each column.
void compute_batch_norm(const Node& node, Trace& trace, const Tools&) {
    const SharedResult &gamma = node.weights[0].value, &beta = node.weights[1].value;
    NormResult result = batch_norm(trace.all(node.operands[0]), node.weights[2].value->view(),
                                   gamma->view(), view_of(beta), node.get<NormParameters>().eps);
    trace.set(node.weights[0].name, affine_of(gamma, beta));
    trace.set(node.operands[1], make_result(std::move(result.moments)));
    const SharedResult normalised = make_result(std::move(result.normalised));
    for (const Tensor name : node.results) trace.set(name, normalised);
}

void compute_norm_heads(const Node& node, Trace& trace, const Tools&) {
    for (std::size_t i = 0; i < 2; ++i) {
        const SharedResult &gamma = node.weights[2 * i].value,
                           &beta = node.weights[2 * i + 1].value;
        const auto [eps, key_eps] = node.get<NormParameters>();
        Matrix normed = layer_norm_heads(trace.all(node.operands[i]), trace.shape.head_dim,
                                         view_of(gamma), view_of(beta), i == 0 ? eps : key_eps);
        trace.set(node.weights[2 * i].name, affine_of(gamma, beta));
        trace.set(node.results[i], make_result(std::move(normed)));
    }
}

// Explains column a.col of a row of the operand. With heads, γ and β are indexed by the channel
// within the head.
void explain_norm(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const MatrixView input = trace.view(a.left, 0, head);
    const float* row = input.row(a.row);
    for (Index i = 0; i < input.cols; ++i) a.mean += row[i];
    a.mean /= static_cast<double>(input.cols);
    double variance = 0;
    for (Index i = 0; i < input.cols; ++i) variance += (row[i] - a.mean) * (row[i] - a.mean);
    variance /= static_cast<double>(input.cols);
    a.deviation = std::sqrt(variance + node.get<NormParameters>().eps);
    normalise(a, node, row[a.col]);
}

void explain_batch_norm(Arithmetic& a, const Node& node, const Trace& trace, Index) {
    const MatrixView running = node.weights[2].value->view();
    a.mean = running(0, a.col);
    a.deviation =
        std::sqrt(static_cast<double>(running(1, a.col)) + node.get<NormParameters>().eps);
    normalise(a, node, trace.view(a.left)(a.row, a.col));
}

}  // namespace headlight::ops
