#include <utility>

#include "ops/linear.h"
#include "ops/table.h"

namespace headlight {

namespace {

Vector row_of(const SharedResult& bias) { return bias ? Vector(bias->view().eigen()) : Vector(); }

Vector bias_of(const Node& node) {
    return node.bias() ? row_of(node.weight(*node.bias())) : Vector();
}

}  // namespace

Matrix linear(const MatrixView& tokens, const Linear& layer) {
    return linear(tokens, layer.weight->view(), row_of(layer.bias));
}

void set_weights(const Node& node, Trace& trace) {
    for (const auto& [name, value] : node.weights) trace.set(name, value);
}

namespace ops {

void compute_linear(const Node& node, Trace& trace, const Tools& tools) {
    set_weights(node, trace);
    trace.set(node.result(),
              make_result(linear(trace.all(node.operands[0]), node.weights[0].value->view(),
                                 bias_of(node), tools.stop)));
}

namespace {

// Between tokens of two widths: a weight for each.
void project_apart(const Node& node, Trace& trace, const Tools& tools) {
    const auto part = [&](Tensor from, Tensor to, Tensor weight, Tensor bias) {
        trace.set(to, make_result(linear(trace.all(from), node.weight(weight)->view(),
                                         row_of(node.weight(bias)), tools.stop)));
    };
    part(node.operands[0], node.results[0], Tensor::qkv_weight, Tensor::qkv_bias);
    part(node.operands[2], node.results[1], Tensor::key_value_weight, Tensor::key_value_bias);
}

}  // namespace

// Of cross-attention the queries come from one set of tokens, keys and values from another: the
// same weight in two products, or two weights.
void compute_project(const Node& node, Trace& trace, const Tools& tools) {
    const bool apart = node.weight(Tensor::key_value_weight) != nullptr;
    if (apart && node.results.size() == 1)
        throw AttentionError(
            "This layer makes its keys and values of other tokens than its queries: expected two "
            "sets of tokens, found one.");
    if (node.results.size() == 1) return compute_linear(node, trace, tools);
    set_weights(node, trace);
    if (apart) return project_apart(node, trace, tools);
    const MatrixView weight = node.weights[0].value->view();
    const Vector bias = bias_of(node);
    const Index c = trace.shape.channels();
    const auto part = [&](Tensor from, Tensor to, Index first, Index rows) {
        const Vector own = bias.size() != 0 ? Vector(bias.segment(first, rows)) : Vector();
        trace.set(to, make_result(linear(trace.all(from), weight.block(first, 0, rows, weight.cols),
                                         own, tools.stop)));
    };
    part(node.operands[0], node.results[0], 0, c);
    part(node.operands[2], node.results[1], c, weight.rows - c);
}

void explain_linear(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    add_products(a, trace.view(a.left, 0, head), trace.view(a.right, 0, head), true);
    a.has_bias = node.bias().has_value();
    if (!a.has_bias) return;
    a.bias = trace.view(*node.bias())(0, a.col);
    a.recomputed = a.sum + a.bias;
}

}  // namespace ops

}  // namespace headlight
