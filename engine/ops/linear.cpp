#include <utility>

#include "kernels/packed.h"
#include "kernels/recycle.h"
#include "ops/linear.h"
#include "ops/table.h"

namespace headlight {

namespace {

Vector row_of(const SharedResult& bias) { return bias ? Vector(bias->view().eigen()) : Vector(); }

Vector bias_of(const Node& node) {
    return node.bias() ? row_of(node.weight(*node.bias())) : Vector();
}

// linear(), with the packed weight if packing pays off.
Matrix product(const MatrixView& tokens, const SharedResult& weight, const Vector& bias,
               const StopFlag& stop) {
    const bool fits = tokens.cols == weight->view().cols;
    const auto packed_weight = fits && tokens.rows > 1 ? packed(weight) : nullptr;
    if (!packed_weight) return linear(tokens, weight->view(), bias, stop);
    Matrix out = new_matrix(tokens.rows, weight->view().rows);
    apply_linear(tokens, weight->view(), bias.size() != 0 ? bias.data() : nullptr, out, stop,
                 packed_weight.get());
    return out;
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
    const SharedResult& weight = node.weights[0].value;
    const MatrixView tokens = trace.all(node.operands[0]);
    trace.set(node.result(), make_result(product(tokens, weight, bias_of(node), tools.stop)));
}

void compute_project(const Node& node, Trace& trace, const Tools& tools) {
    if (trace.model_layer().key_value.exists())
        throw AttentionError(
            "This layer computes its queries from one set of tokens, and its keys and values from "
            "another: expected two sets, found one.");
    compute_linear(node, trace, tools);
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
