#include <cmath>
#include <string>
#include <utility>

#include "kernels/recycle.h"
#include "ops/linear.h"
#include "ops/table.h"

// The operations behind scores other than the dot product.
namespace headlight::ops {

void compute_unit(const Node& node, Trace& trace, const Tools&) {
    trace.set(node.result(),
              make_result(unit_rows(trace.all(node.operands[0]), trace.shape.heads)));
}

void compute_linear_heads(const Node& node, Trace& trace, const Tools& tools) {
    set_weights(node, trace);
    trace.set(node.result(),
              make_result(linear_heads(trace.all(node.operands[0]), node.weights[0].value->view(),
                                       trace.shape.heads, tools.stop)));
}

// The learned keys of all heads side by side, repeated for every sample, in the layout of computed
// keys.
void compute_learned_keys(const Node& node, Trace& trace, const Tools&) {
    set_weights(node, trace);
    const MatrixView weight = node.weights[0].value->view();
    const auto& [batch, queries, keys, heads, head_dim, value_dim] = trace.shape;
    if (weight.rows != heads * keys)
        throw AttentionError("score.weight has rows for " + std::to_string(weight.rows / heads) +
                             " keys, but there are " + std::to_string(keys) +
                             ". A score by location fits only one number of keys.");
    Matrix rows = new_matrix(batch * keys, heads * head_dim);
    for (Index b = 0; b < batch; ++b)
        for (Index h = 0; h < heads; ++h)
            rows.block(b * keys, h * head_dim, keys, head_dim) =
                weight.eigen().middleRows(h * keys, keys);
    trace.set(node.result(), make_result(std::move(rows)));
}

void compute_additive(const Node& node, Trace& trace, const Tools& tools) {
    set_weights(node, trace);
    trace.set(node.result(),
              make_result(additive_scores(trace.all(node.operands[0]), trace.all(node.operands[1]),
                                          node.weights[0].value->view(), trace.shape, tools.stop)));
}

// A cell divided by the length of its row.
void explain_unit(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    const MatrixView x = trace.view(a.left, 0, head);
    double squares = 0;
    for (Index i = 0; i < x.cols; ++i) squares += static_cast<double>(x(a.row, i)) * x(a.row, i);
    a.deviation = std::sqrt(squares);
    a.sum = x(a.row, a.col);
    a.recomputed = a.deviation == 0 ? 0 : a.sum / a.deviation;
    a.terms.push_back({x(a.row, a.col), 0, static_cast<float>(a.recomputed)});
}

void explain_learned_keys(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    take(a, trace.view(a.left, 0, head)(a.row, a.col));
}

// v times tanh(query + key), summed over the hidden channels.
void explain_additive(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const MatrixView query = trace.view(node.operands[0], 0, head),
                     key = trace.view(node.operands[1], 0, head),
                     vector = trace.view(node.operands[2], 0, head);
    a.left = node.operands[2];
    for (Index i = 0; i < vector.cols; ++i) {
        const double bent = std::tanh(static_cast<double>(query(a.row, i)) + key(a.col, i));
        a.terms.push_back(
            {vector(0, i), static_cast<float>(bent), static_cast<float>(vector(0, i) * bent)});
        a.sum += vector(0, i) * bent;
    }
    a.recomputed = a.sum;
}

}  // namespace headlight::ops
