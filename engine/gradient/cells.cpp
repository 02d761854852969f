#include <utility>

#include "attention/layer.h"
#include "gradient/rules.h"
#include "kernels/activation_gradient.h"

namespace headlight::gradient {

// Both operands get the full gradient.
void back_add(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    const Matrix dy = result_gradient(node, gradients);
    for (const Tensor operand : node.operands) gradients.add(operand, dy);
}

void back_stretch(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    Matrix dx = result_gradient(node, gradients);
    dx.array().rowwise() *= node.weights[0].value->view().eigen().row(0).array();
    gradients.add(node.operands[0], std::move(dx));
}

// Each result has one operand.
void back_activate(const Node& node, const Trace& trace, Gradients& gradients, const StopFlag&) {
    const auto& [tanh, activation] = node.get<ActivateParameters>();
    for (std::size_t i = 0; i < node.results.size(); ++i) {
        if (!gradients.has(node.results[i])) continue;
        const Matrix& dy = gradients.of(node.results[i]);
        Matrix dx =
            tanh ? Matrix(dy.array() * (1 - trace.all(node.results[i]).eigen().array().square()))
                 : activation_gradient(trace.all(node.operands[i]), dy, activation);
        gradients.add(node.operands[i], std::move(dx));
    }
}

// Dropout of ones gives the mask and the factor of the forward pass.
void back_dropout(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    const auto& [p, seed, stream] = node.get<DropoutParameters>();
    Matrix dx = result_gradient(node, gradients);
    const Matrix ones = Matrix::Ones(dx.rows(), dx.cols());
    dx.array() *= drop_out(ones, p, seed, stream).array();
    gradients.add(node.operands[0], std::move(dx));
}

void back_scale(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    gradients.add(node.operands[0],
                  result_gradient(node, gradients) * node.get<ScaleParameters>().factor);
}

// What is added is constant, or the values are the same under another name.
void back_pass(const Node& node, const Trace&, Gradients& gradients, const StopFlag&) {
    gradients.add(node.operands[0], gradients.of(node.result()));
}

// The operands do not depend on the picture.
void back_none(const Node&, const Trace&, Gradients&, const StopFlag&) {}

}  // namespace headlight::gradient
