#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/activation.h"
#include "kernels/parallel.h"
#include "kernels/recycle.h"
#include "ops/linear.h"
#include "ops/table.h"

namespace headlight::ops {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Applies the curve; for a gated activation, the curve of its gate.
double activated(Activation activation, double x) {
    switch (curve_of(activation)) {
        case Activation::gelu:
            return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
        case Activation::gelu_tanh:
            return x / 2 *
                   (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        case Activation::quick_gelu:
            return x * sigmoid(1.702 * x);
        case Activation::relu:
            return std::max(x, 0.0);
        default:
            return x * sigmoid(x);
    }
}

SharedResult sum_of(const MatrixView& left, const MatrixView& right) {
    Matrix sum = new_matrix(left.rows, left.cols);
    parallel_cells(left.rows, left.cols, [&](Index first, Index rows) {
        sum.middleRows(first, rows) =
            left.eigen().middleRows(first, rows) + right.eigen().middleRows(first, rows);
    });
    return make_result(std::move(sum));
}

}  // namespace

// A layer without a skip has one operand; its result is shared, and nothing is computed.
void compute_add(const Node& node, Trace& trace, const Tools&) {
    const Tensor first = node.operands.front(), last = node.operands.back();
    const SharedResult sum =
        node.operands.size() == 1 ? trace.result(first) : sum_of(trace.all(first), trace.all(last));
    for (const Tensor result : node.results) trace.set(result, sum);
}

void compute_stretch(const Node& node, Trace& trace, const Tools&) {
    set_weights(node, trace);
    const MatrixView x = trace.all(node.operands[0]), gamma = node.weights[0].value->view();
    Matrix out = new_matrix(x.rows, x.cols);
    parallel_cells(x.rows, x.cols, [&](Index first, Index rows) {
        out.middleRows(first, rows) =
            x.eigen().middleRows(first, rows).array().rowwise() * gamma.eigen().row(0).array();
    });
    trace.set(node.result(), make_result(std::move(out)));
}

void compute_activate(const Node& node, Trace& trace, const Tools&) {
    const auto& [tanh, activation] = node.get<ActivateParameters>();
    for (std::size_t i = 0; i < node.results.size(); ++i) {
        const MatrixView hidden = trace.all(node.operands[i]);
        trace.set(node.results[i], make_result(tanh ? Matrix(hidden.eigen().array().tanh().matrix())
                                                    : activate(hidden, activation)));
    }
}

void compute_dropout(const Node& node, Trace& trace, const Tools&) {
    const auto& [p, seed, stream] = node.get<DropoutParameters>();
    trace.set(node.result(), make_result(drop_out(trace.all(node.operands[0]), p, seed, stream)));
}

// Tokens without positions have no second operand.
void explain_add(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    for (const Tensor operand : node.operands) {
        const MatrixView view = trace.view(operand, 0, head);
        if (view.empty()) continue;
        const float value = view(a.row, a.col);
        a.terms.push_back({value, 0, value});
        a.sum += value;
    }
    a.recomputed = a.sum;
}

void explain_stretch(Arithmetic& a, const Node&, const Trace& trace, Index) {
    const float x = trace.view(a.left)(a.row, a.col), gamma = trace.view(a.right)(0, a.col);
    a.terms.push_back({x, gamma, x * gamma});
    a.sum = a.recomputed = static_cast<double>(x) * gamma;
}

// A cell was dropped if its result is zero and its operand is not.
void explain_dropout(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const float value = trace.view(a.left, 0, head)(a.row, a.col);
    a.factor = 1 - node.get<DropoutParameters>().p;
    a.dropped = a.shown == 0 && value != 0;
    a.terms.push_back({value, 0, value});
    a.sum = value;
    a.recomputed = a.dropped ? 0 : value / a.factor;
}

void explain_activate(Arithmetic& a, const Node& node, const Trace& trace, Index) {
    const MatrixView hidden = trace.view(a.left);
    const float x = hidden(a.row, a.col);
    take(a, x);
    const auto& [tanh, activation] = node.get<ActivateParameters>();
    a.is_tanh = tanh;
    if (tanh) {
        a.recomputed = std::tanh(static_cast<double>(x));
        return;
    }
    a.activation = activation;
    a.recomputed = activated(activation, x);
    if (!is_gated(activation)) return;
    const float value = hidden(a.row, a.col + hidden.cols / 2);
    a.terms.push_back({value, 0, value});
    a.recomputed *= value;
}

}  // namespace headlight::ops
