#include "attention/performer.h"

#include <cmath>

#include "ops/linear.h"
#include "ops/table.h"

// Attention without scores. A Performer has one head.
namespace headlight::ops {

void compute_features(const Node& node, Trace& trace, const Tools& tools) {
    set_weights(node, trace);
    trace.set(node.result(),
              make_result(random_features(trace.all(node.operands[0]),
                                          node.weights[0].value->view(), tools.stop)));
}

void compute_share(const Node& node, Trace& trace, const Tools&) {
    trace.set(node.result(), make_result(row_shares(trace.all(node.operands[0]),
                                                    node.get<ShareParameters>().eps)));
}

// The terms are the products of the row and w. Half the row's squared length and √M enter
// afterwards.
void explain_features(Arithmetic& a, const Node&, const Trace& trace, Index head) {
    const MatrixView x = trace.view(a.left, 0, head), w = trace.view(a.right);
    add_products(a, x, w, true);
    a.mean = x.eigen().row(a.row).cast<double>().squaredNorm() / 2;
    a.deviation = std::sqrt(static_cast<double>(w.rows));
    a.recomputed = std::exp(a.sum - a.mean) / a.deviation;
}

void explain_share(Arithmetic& a, const Node& node, const Trace& trace, Index head) {
    const MatrixView products = trace.view(a.left, 0, head);
    a.numerator = products(a.row, a.col);
    for (Index m = 0; m < products.cols; ++m) a.sum += products(a.row, m);
    a.terms.push_back({a.numerator, 0, a.numerator});
    a.factor = node.get<ShareParameters>().eps;
    a.recomputed = a.numerator / (a.sum + a.factor);
}

}  // namespace headlight::ops
