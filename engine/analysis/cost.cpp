#include "analysis/cost.h"

#include <set>

#include "trace/token_rows.h"

namespace headlight {

namespace {

// Number of cells of a tensor over all samples and heads, stored or not.
double numbers(const Trace& trace, Tensor tensor) {
    const AttentionShape& shape = trace.shape;
    if (trace.on_demand(tensor))
        return static_cast<double>(shape.batch * shape.heads * shape.queries) *
               static_cast<double>(shape.keys);
    const MatrixView all = trace.all(tensor);
    return static_cast<double>(all.rows) * static_cast<double>(all.cols);
}

// Number of channels that each cell sums over.
double depth(const Trace& trace, Tensor operand) {
    return static_cast<double>(trace.view(operand).cols);
}

double sum_of_products(const Trace& trace, const Node& node) {
    double operations = 2 * numbers(trace, node.result()) * depth(trace, node.operands[0]);
    if (node.bias()) operations += numbers(trace, node.result());
    return operations;
}

// For keys and values computed from separate parts of the tokens.
double keys_and_values_apart(const Trace& trace, const Node& node) {
    const AttentionConfig& config = trace.config;
    const double rows = static_cast<double>(trace.all(node.result()).rows),
                 of_key = *config.key_token_dim, of_value = config.value_token_width() - of_key;
    return 2 * rows * (config.channels * of_key + config.value_width() * of_value) +
           (node.bias() ? numbers(trace, node.result()) : 0);
}

double operations_of(const Trace& trace, const Node& node) {
    const double cells = numbers(trace, node.result());
    switch (node.op) {
        case Op::linear:
            if (node.id == Step::key_value && trace.config.key_token_dim)
                return keys_and_values_apart(trace, node);
            return sum_of_products(trace, node);
        case Op::project:
        case Op::classify:
        case Op::linear_heads:
        case Op::multiply:
            return sum_of_products(trace, node);
        case Op::point:
            return sum_of_products(trace, node) + cells;
        case Op::mix:  // sums over all keys
            return 2 * cells * depth(trace, node.operands[0]);
        case Op::additive:  // a sum, a tanh, a product and a sum per channel
            return 4 * cells * depth(trace, node.operands[0]);
        case Op::features:  // the row's squared length, once for all features
            return sum_of_products(trace, node) + 2 * numbers(trace, node.operands[0]) + 3 * cells;
        case Op::softmax:
            return 5 * cells;
        case Op::norm:
            return 8 * cells;
        case Op::norm_heads:
            return 8 * (cells + numbers(trace, node.results[1]));
        case Op::batch_norm:
            return 4 * cells;
        case Op::rotate:  // two products and their sum, for queries and keys
            return 3 * (cells + numbers(trace, node.results[1]));
        case Op::unit:  // squares, their sum, the quotient
            return 3 * cells;
        case Op::share:  // the sum and the quotient
            return 2 * cells;
        case Op::gather:  // (pixel − mean) / std; tokens are only moved
            return node.operands[0] == Tensor::pixels ? 2 * cells : 0;
        case Op::activate: {
            const double inputs = numbers(trace, node.operands[0]);
            return inputs > cells ? 2 * cells : cells;  // gated: an activation and a product
        }
        case Op::add:
            return node.operands.size() > 1 ? cells : 0;
        case Op::positions:
        case Op::scale:
        case Op::relative:
        case Op::mask:
        case Op::largest:
        case Op::dropout:
        case Op::stretch:
            return cells;
        case Op::pool:
            return trace.model && trace.model->pooling == Pooling::class_token
                       ? 0
                       : numbers(trace, node.operands[0]);
        case Op::curve:  // adds the noise
            return cells;
        case Op::frame:
        case Op::given:
        case Op::array:
        case Op::drawn:
        case Op::learned:
        case Op::windows:
        case Op::stack:
        case Op::cut:
        case Op::join:
        case Op::learned_keys:
        case Op::turn:
            return 0;
    }
    return 0;
}

int growth(const Trace& trace, const Node& node) {
    const TensorInfo& result = info(node.result());
    // Here N counts the queries, and M does not grow with them.
    if (is_cross(trace)) return side_of(trace, node.result()) == Side::key ? 1 : 2;
    if (result.rows == Axis::probe)  // one query, and one key per token
        return result.cols == Axis::key_token || node.op == Op::mix ? 2 : 1;
    if (result.cols == Axis::key_token || node.op == Op::mix) return 4;
    if (node.op == Op::point) return 4;
    if (node.op == Op::pool) return 2;
    return result.rows == Axis::one ? 1 : 2;
}

}  // namespace

Cost cost_of(const Trace& trace, const Node& node) {
    constexpr double kBytes = sizeof(float);
    Cost cost;
    cost.when_doubled = growth(trace, node);
    if (node.op == Op::frame) return cost;
    cost.operations = operations_of(trace, node);
    if (node.op == Op::cut || node.op == Op::join) return cost;
    std::set<Tensor> reads(node.operands.begin(), node.operands.end());
    for (const NodeWeight& weight : node.weights) reads.insert(weight.name);
    for (const Tensor tensor : reads) cost.read += kBytes * numbers(trace, tensor);
    // One matrix may have two names.
    std::set<std::uint64_t> written;
    for (const Tensor tensor : node.results)
        if (written.insert(trace.version(tensor)).second)
            cost.written += kBytes * numbers(trace, tensor);
    return cost;
}

}  // namespace headlight
