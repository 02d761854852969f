#include "ops/arithmetic.h"

#include <cmath>
#include <limits>

#include "ops/table.h"

namespace headlight {

namespace {

// The number rounded to float; infinity beyond the range of float.
float as_float(double value) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    if (std::abs(value) <= kLargest || std::isnan(value)) return static_cast<float>(value);
    return std::copysign(std::numeric_limits<float>::infinity(), value > 0 ? 1.0F : -1.0F);
}

bool agree(const Arithmetic& a) {
    const float recomputed = as_float(a.recomputed);
    if (!std::isfinite(a.shown) || !std::isfinite(recomputed))
        return a.shown == recomputed || (std::isnan(a.shown) && std::isnan(recomputed));
    double size = std::abs(a.bias) + std::abs(a.recomputed);
    const bool of_row = a.op == Op::softmax || a.op == Op::largest || a.op == Op::share;
    if (!of_row && a.op != Op::features)
        for (const Term& term : a.terms) size += std::abs(term.value);
    return std::abs(a.recomputed - a.shown) <= 1e-5 * size + 1e-7;
}

}  // namespace

namespace ops {

void add_products(Arithmetic& a, const MatrixView& left, const MatrixView& right,
                  bool right_by_row) {
    a.terms.reserve(static_cast<std::size_t>(left.cols));
    for (Index i = 0; i < left.cols; ++i) {
        const float l = left(a.row, i);
        const float r = right_by_row ? right(a.col, i) : right(i, a.col);
        a.terms.push_back({l, r, l * r});
        a.sum += static_cast<double>(l) * r;
    }
    a.recomputed = a.sum;
}

void take(Arithmetic& a, float value) {
    a.terms.push_back({value, 0, value});
    a.sum = a.recomputed = value;
}

}  // namespace ops

Arithmetic explain_cell(const Trace& trace, const Node& node, Index head, Index row, Index col,
                        const MatrixView& shown) {
    Arithmetic a;
    a.result = node.result();
    a.row = row;
    a.col = col;
    a.op = node.op;
    if (!node.operands.empty()) a.left = node.operands.front();
    if (node.operands.size() > 1) a.right = node.operands[1];
    if (head < 0 || head >= trace.shape.heads) return a;
    const MatrixView result = shown.empty() ? trace.view(node.result(), 0, head) : shown;
    if (row < 0 || row >= result.rows || col < 0 || col >= result.cols) return a;
    a.shown = result(row, col);
    info(node.op).explain(a, node, trace, head);
    a.agrees = agree(a);
    return a;
}

}  // namespace headlight
