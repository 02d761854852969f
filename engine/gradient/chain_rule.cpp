#include "gradient/chain_rule.h"

#include <algorithm>
#include <cmath>

#include "kernels/activation_gradient.h"
#include "positions/rotary.h"

namespace headlight {

namespace {

// The cell, and the traces with values and gradients.
struct ChainCell {
    const Trace& trace;
    const Trace& gradients;
    Index head, row, col;

    [[nodiscard]] MatrixView value(Tensor tensor) const { return trace.view(tensor, 0, head); }
    [[nodiscard]] MatrixView gradient(Tensor tensor) const {
        return gradients.view(tensor, 0, head);
    }
};

void add_term(ChainWay& way, float gradient, double derivative) {
    const auto right = static_cast<float>(derivative);
    const double value = static_cast<double>(gradient) * derivative;
    way.terms.push_back({gradient, right, static_cast<float>(value)});
    way.sum += value;
}

// Adds a step's terms for its operand number `operand`. Returns false if they cannot be written
// out.
using TermsOf = bool (*)(ChainWay&, const Node&, std::size_t operand, const ChainCell&);

bool same_cell(ChainWay& way, const Node&, std::size_t, const ChainCell& cell) {
    way.derivative = "1";
    add_term(way, cell.gradient(way.of)(cell.row, cell.col), 1);
    return true;
}

bool through_linear(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand > 0) return false;
    const MatrixView weight = node.weights[0].value->view(), dy = cell.gradient(way.of);
    way.at = "[r, j]";
    way.derivative = "W[j, c]";
    for (Index j = 0; j < weight.rows; ++j) add_term(way, dy(cell.row, j), weight(j, cell.col));
    return true;
}

bool through_linear_heads(ChainWay& way, const Node& node, std::size_t operand,
                          const ChainCell& cell) {
    if (operand > 0) return false;
    const MatrixView weight = node.weights[0].value->view(), dy = cell.gradient(way.of);
    const Index out = weight.rows / cell.trace.shape.heads;
    way.at = "[r, j]";
    way.derivative = "W[j, c]";
    for (Index j = 0; j < out; ++j)
        add_term(way, dy(cell.row, j), weight(cell.head * out + j, cell.col));
    return true;
}

// P = Q · Kᵀ.
bool through_products(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    const MatrixView dp = cell.gradient(way.of), other = cell.value(node.operands[1 - operand]);
    way.at = operand == 0 ? "[r, j]" : "[j, r]";
    way.derivative = operand == 0 ? "K[j, c]" : "Q[j, c]";
    for (Index j = 0; j < other.rows; ++j)
        add_term(way, operand == 0 ? dp(cell.row, j) : dp(j, cell.row), other(j, cell.col));
    return true;
}

// O = A · V.
bool through_mix(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    const auto& off = node.get<MixParameters>().switched_off;
    if (std::ranges::find(off, cell.head) != off.end()) {
        way.derivative = "0";
        return true;
    }
    const MatrixView d_output = cell.gradient(way.of),
                     other = cell.value(node.operands[1 - operand]);
    way.at = operand == 0 ? "[r, j]" : "[j, c]";
    way.derivative = operand == 0 ? "V[c, j]" : "A[j, r]";
    if (operand == 0)
        for (Index j = 0; j < other.cols; ++j)
            add_term(way, d_output(cell.row, j), other(cell.col, j));
    else
        for (Index j = 0; j < other.rows; ++j)
            add_term(way, d_output(j, cell.col), other(j, cell.row));
    return true;
}

bool through_softmax(ChainWay& way, const Node& node, std::size_t, const ChainCell& cell) {
    const MatrixView a = cell.value(node.result()), da = cell.gradient(way.of);
    way.at = "[r, j]";
    way.derivative = "A[r, j] · ([j = c] − A[r, c])";
    const double own = a(cell.row, cell.col);
    for (Index j = 0; j < a.cols; ++j)
        add_term(way, da(cell.row, j), a(cell.row, j) * ((j == cell.col ? 1.0 : 0.0) - own));
    return true;
}

// y = (x − μ) / σ · γ + β over `count` columns of a row, starting at column `first`.
void add_norm_terms(ChainWay& way, const ChainCell& cell, const MatrixView& x, Index first,
                    Index count, double eps, const float* gamma) {
    const MatrixView dy = cell.gradient(way.of);
    const float* row = x.row(cell.row) + first;
    double mean = 0, variance = 0;
    for (Index j = 0; j < count; ++j) mean += row[j];
    mean /= static_cast<double>(count);
    for (Index j = 0; j < count; ++j) variance += (row[j] - mean) * (row[j] - mean);
    const double deviation = std::sqrt(variance / static_cast<double>(count) + eps);
    const double own = (row[cell.col - first] - mean) / deviation;
    way.at = "[r, j]";
    way.derivative = "γ[j] / σ · ([j = c] − 1/C − n[j] n[c] / C)";
    for (Index j = 0; j < count; ++j) {
        const double there = (row[j] - mean) / deviation,
                     by = (first + j == cell.col ? 1.0 : 0.0) -
                          (1 + there * own) / static_cast<double>(count);
        add_term(way, dy(cell.row, first + j),
                 (gamma == nullptr ? 1.0 : gamma[j]) / deviation * by);
    }
}

const float* numbers_of(const SharedResult& weight) {
    return weight ? weight->view().data : nullptr;
}

bool through_norm(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand > 0) return false;
    const MatrixView x = cell.value(node.operands[0]);
    add_norm_terms(way, cell, x, 0, x.cols, node.get<NormParameters>().eps,
                   numbers_of(node.weights[0].value));
    return true;
}

bool through_norm_heads(ChainWay& way, const Node& node, std::size_t operand,
                        const ChainCell& cell) {
    if (operand > 1) return false;
    const auto& [eps, key_eps] = node.get<NormParameters>();
    const MatrixView x = cell.value(node.operands[operand]);
    way.of = node.results[operand];
    add_norm_terms(way, cell, x, 0, x.cols, operand == 0 ? eps : key_eps,
                   numbers_of(node.weights[2 * operand].value));
    return true;
}

bool through_batch_norm(ChainWay& way, const Node& node, std::size_t operand,
                        const ChainCell& cell) {
    if (operand > 0) return false;
    const double gamma = node.weights[0].value->view()(0, cell.col),
                 variance = node.weights[2].value->view()(1, cell.col);
    way.derivative = "γ[c] / σ[c]";
    add_term(way, cell.gradient(way.of)(cell.row, cell.col),
             gamma / std::sqrt(variance + node.get<NormParameters>().eps));
    return true;
}

bool through_unit(ChainWay& way, const Node& node, std::size_t, const ChainCell& cell) {
    const MatrixView x = cell.value(node.operands[0]), y = cell.value(node.result()),
                     dy = cell.gradient(way.of);
    double squares = 0;
    for (Index j = 0; j < x.cols; ++j)
        squares += static_cast<double>(x(cell.row, j)) * x(cell.row, j);
    way.at = "[r, j]";
    way.derivative = "([j = c] − y[j] y[c]) / ‖x‖";
    const double length = std::sqrt(squares), own = y(cell.row, cell.col);
    for (Index j = 0; j < x.cols && length > 0; ++j)
        add_term(way, dy(cell.row, j),
                 ((j == cell.col ? 1.0 : 0.0) - y(cell.row, j) * own) / length);
    return true;
}

// The one or two channels of the result that depend on this channel.
bool through_rotation(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand > 1) return false;
    way.of = node.results[operand];
    const MatrixView dy = cell.gradient(way.of), sine = cell.trace.all(node.results[2]),
                     cosine = cell.trace.all(node.results[3]);
    const Index width = dy.cols;
    Matrix one = Matrix::Zero(1, width);
    one(0, cell.col) = 1;
    const Matrix turned = rotated(one, node.get<Rotary>(), sine.block(cell.row, 0, 1, width),
                                  cosine.block(cell.row, 0, 1, width));
    way.at = "[r, j]";
    way.derivative = "cos θ, ± sin θ";
    for (Index j = 0; j < width; ++j)
        if (turned(0, j) != 0) add_term(way, dy(cell.row, j), turned(0, j));
    return true;
}

bool through_activation(ChainWay& way, const Node& node, std::size_t operand,
                        const ChainCell& cell) {
    if (operand >= node.results.size()) return false;
    const auto& [tanh, activation] = node.get<ActivateParameters>();
    way.of = node.results[operand];
    if (!cell.gradients.has(way.of)) return true;
    const MatrixView x = cell.value(node.operands[operand]), y = cell.value(way.of),
                     dy = cell.gradient(way.of);
    const Index gate = cell.col % dy.cols;
    way.at = "[r, " + std::to_string(gate) + "]";
    way.derivative = "f′(x)";
    if (tanh) {
        const double own = y(cell.row, cell.col);
        add_term(way, dy(cell.row, cell.col), 1 - own * own);
        return true;
    }
    Matrix hidden(1, x.cols / dy.cols);
    for (Index part = 0; part < hidden.cols(); ++part)
        hidden(0, part) = x(cell.row, gate + part * dy.cols);
    const Matrix one = Matrix::Ones(1, 1), by = activation_gradient(hidden, one, activation);
    add_term(way, dy(cell.row, gate), by(0, cell.col / dy.cols));
    return true;
}

bool through_scale(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand > 0) return false;
    way.derivative = "the scale";
    add_term(way, cell.gradient(way.of)(cell.row, cell.col), node.get<ScaleParameters>().factor);
    return true;
}

bool through_stretch(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand > 0) return false;
    way.derivative = "λ[c]";
    add_term(way, cell.gradient(way.of)(cell.row, cell.col),
             node.weights[0].value->view()(0, cell.col));
    return true;
}

bool through_turn(ChainWay& way, const Node&, std::size_t, const ChainCell& cell) {
    way.at = "[c, r]";
    way.derivative = "1";
    add_term(way, cell.gradient(way.of)(cell.col, cell.row), 1);
    return true;
}

// Concatenation of heads: the same value, shifted to the head's columns.
bool through_join(ChainWay& way, const Node& node, std::size_t, const ChainCell& cell) {
    const Index width = cell.trace.cols(node.operands[0]);
    const Index col = cell.head * width + cell.col;
    way.at = "[r, " + std::to_string(col) + "]";
    way.derivative = "1";
    add_term(way, cell.gradient(way.of)(cell.row, col), 1);
    return true;
}

bool through_stack(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    if (operand != 1) return false;
    const MatrixView dy = cell.gradient(way.of);
    const Index before = dy.rows - cell.trace.rows(node.operands[1]);
    way.at = "[" + std::to_string(before + cell.row) + ", c]";
    way.derivative = "1";
    add_term(way, dy(before + cell.row, cell.col), 1);
    return true;
}

// Queries, keys and values are columns of one matrix, or of two.
bool through_cut(ChainWay& way, const Node& node, std::size_t operand, const ChainCell& cell) {
    const auto& [heads, head_dim, value_dim, all_alike] = node.get<CutParameters>();
    if (all_alike || value_dim != head_dim) return false;
    const bool packed = node.operands.size() == 1;
    const Index width = heads * head_dim, part = cell.col / width + (packed ? 0 : operand),
                head = cell.col % width / head_dim;
    if (part > 2) return false;
    way.of = node.results[static_cast<std::size_t>(part)];
    way.at = "[r, " + std::to_string(cell.col % head_dim) + "]";
    way.derivative = "1";
    if (!cell.gradients.has(way.of)) return true;
    add_term(way, cell.gradients.view(way.of, 0, head)(cell.row, cell.col % head_dim), 1);
    return true;
}

bool through_pool(ChainWay& way, const Node& node, std::size_t, const ChainCell& cell) {
    const Pooling pooling = node.get<PoolParameters>().pooling;
    const MatrixView dy = cell.gradient(way.of), x = cell.value(node.operands[0]);
    const Index prefix = cell.trace.model->prefix.count(), patches = x.rows - prefix;
    const bool of_patches = pooling == Pooling::patches || pooling == Pooling::class_and_patches;
    way.at = "[0, c]";
    way.derivative = of_patches ? "1 / patches" : "1";
    if (of_patches && cell.row >= prefix)
        add_term(way, dy(0, cell.col + (pooling == Pooling::patches ? 0 : x.cols)),
                 1.0 / static_cast<double>(patches));
    if (pooling != Pooling::patches && cell.row == 0) add_term(way, dy(0, cell.col), 1);
    if (pooling == Pooling::class_and_distillation && cell.row == 1)
        add_term(way, dy(0, cell.col + x.cols), 1);
    return true;
}

TermsOf rule_of(Op op) {
    switch (op) {
        case Op::linear:
        case Op::project:
        case Op::classify:
            return through_linear;
        case Op::linear_heads:
            return through_linear_heads;
        case Op::multiply:
            return through_products;
        case Op::mix:
            return through_mix;
        case Op::softmax:
            return through_softmax;
        case Op::norm:
            return through_norm;
        case Op::norm_heads:
            return through_norm_heads;
        case Op::batch_norm:
            return through_batch_norm;
        case Op::unit:
            return through_unit;
        case Op::rotate:
            return through_rotation;
        case Op::activate:
            return through_activation;
        case Op::scale:
            return through_scale;
        case Op::stretch:
            return through_stretch;
        case Op::turn:
            return through_turn;
        case Op::join:
            return through_join;
        case Op::stack:
            return through_stack;
        case Op::cut:
            return through_cut;
        case Op::pool:
            return through_pool;
        case Op::add:
        case Op::positions:
        case Op::relative:
        case Op::mask:
            return same_cell;
        default:
            return nullptr;
    }
}

// Replaces r and c in "W[j, c]" by the cell's row and column.
std::string with_numbers(const std::string& symbols, const ChainCell& cell) {
    std::string text;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto stands_alone = [&](char sign) {
            const char before = i > 0 ? symbols[i - 1] : ' ',
                       after = i + 1 < symbols.size() ? symbols[i + 1] : ' ';
            return symbols[i] == sign && (before == '[' || before == ' ') &&
                   (after == ']' || after == ',');
        };
        if (stands_alone('r'))
            text += std::to_string(cell.row);
        else if (stands_alone('c'))
            text += std::to_string(cell.col);
        else
            text += symbols[i];
    }
    return text;
}

// Adds all steps that use the cell under this name of its tensor. Returns false if one of them
// cannot be written out.
bool add_ways(ChainRule& rule, const ChainCell& cell, Tensor tensor) {
    for (const Node& node : cell.trace.nodes) {
        const bool reached = std::ranges::any_of(
            node.results, [&](Tensor result) { return cell.gradients.has(result); });
        if (!reached) continue;
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            if (node.operands[i] != tensor) continue;
            const bool added_alone =
                node.op == Op::positions || node.op == Op::relative || node.op == Op::mask;
            if (added_alone && i > 0) continue;
            ChainWay way{node.id, node.result(), "[r, c]", {}, {}, 0};
            const TermsOf terms_of = rule_of(node.op);
            if (terms_of == nullptr || !terms_of(way, node, i, cell)) {
                rule.why_not = "The chain rule through “" + node.title +
                               "” is not written out here. The gradient is still computed.";
                return false;
            }
            way.at = with_numbers(way.at, cell);
            way.derivative = with_numbers(way.derivative, cell);
            rule.ways.push_back(std::move(way));
        }
    }
    return true;
}

}  // namespace

ChainRule explain_gradient(const Trace& trace, const Trace& gradients, Tensor tensor, Index head,
                           Index row, Index col) {
    ChainRule rule;
    rule.tensor = tensor;
    rule.row = row;
    rule.col = col;
    rule.shown = gradients.view(tensor, 0, head)(row, col);
    if (trace.on_demand(tensor)) {
        rule.why_not =
            "With this many tokens, Headlight computes scores for one head at a time, so the terms "
            "cannot be shown.";
        return rule;
    }
    if (!add_ways(rule, {trace, gradients, head, row, col}, tensor)) return rule;
    // Tensor::values holds the same values for all heads side by side; a skip adds it.
    if (tensor == Tensor::value && gradients.has(Tensor::values)) {
        const Index across = head * trace.cols(Tensor::value) + col;
        if (!add_ways(rule, {trace, gradients, head, row, across}, Tensor::values)) return rule;
    }
    if (rule.ways.empty()) {
        rule.why_not =
            "No step shown here uses this number. It is y itself, or only later layers use it.";
        return rule;
    }
    double sizes = 0;
    for (const ChainWay& way : rule.ways) {
        rule.recomputed += way.sum;
        for (const Term& term : way.terms) sizes += std::abs(static_cast<double>(term.value));
    }
    const double off = std::abs(rule.recomputed - rule.shown);
    rule.agrees =
        off <= 1e-5 * sizes + 1e-7 || (std::isnan(rule.recomputed) && std::isnan(rule.shown));
    return rule;
}

}  // namespace headlight
