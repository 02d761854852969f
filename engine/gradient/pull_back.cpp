#include "gradient/pull_back.h"

#include <algorithm>
#include <string>

#include "gradient/rules.h"
#include "kernels/names.h"
#include "ops/limits.h"

namespace headlight {

namespace {

// In the order of the enumerators.
std::span<const PullBackInfo> table() {
    using namespace gradient;
    static constexpr auto rows = std::to_array<PullBackInfo>({
        {Op::frame, nullptr},
        {Op::gather, back_gather},
        {Op::given, nullptr},
        {Op::array, nullptr},
        {Op::drawn, nullptr},
        {Op::curve, nullptr},
        {Op::windows, nullptr},
        {Op::stack, back_stack},
        {Op::add, back_add, false},
        {Op::positions, back_pass, false},
        {Op::linear, back_linear, false},
        {Op::project, back_linear, false},
        {Op::classify, back_linear, false},
        {Op::cut, back_cut},
        {Op::norm, back_norm},
        {Op::batch_norm, back_batch_norm},
        {Op::norm_heads, back_norm_heads},
        {Op::rotate, back_rotate},
        {Op::unit, back_unit},
        {Op::linear_heads, back_linear_heads},
        {Op::learned_keys, back_none},
        {Op::features, back_features},
        {Op::multiply, back_multiply},
        {Op::additive, nullptr},
        {Op::scale, back_scale, false},
        {Op::relative, back_pass, false},
        // Masked cells have zero attention, so softmax passes them no gradient.
        {Op::mask, back_pass, false},
        {Op::softmax, back_softmax},
        {Op::largest, nullptr},  // the gradient is zero almost everywhere
        {Op::share, back_share},
        {Op::dropout, back_dropout, false},
        {Op::turn, back_turn, false},
        {Op::mix, back_mix},
        {Op::join, back_pass, false},
        {Op::stretch, back_stretch, false},
        {Op::activate, back_activate},
        {Op::learned, back_none},
        {Op::pool, back_pool},
        {Op::point, back_none},  // the output about the image does not depend on it
    });
    static_assert(rows_fit(rows, &PullBackInfo::op));
    return rows;
}

}  // namespace

const PullBackInfo& pull_back_of(Op op) { return table()[static_cast<std::size_t>(op)]; }

std::optional<Tensor> last_read(std::span<const Node> nodes) {
    const auto maker_of = [&](Tensor tensor) {  // −1: an input of the nodes
        const auto at = std::ranges::find_if(nodes, [&](const Node& node) {
            return std::ranges::find(node.results, tensor) != node.results.end();
        });
        return at == nodes.end() ? std::ptrdiff_t{-1} : at - nodes.begin();
    };
    std::ptrdiff_t last = -1;
    for (const Node& node : nodes) {
        if (!pull_back_of(node.op).reads_trace) continue;
        // The gradient of an activation only needs its operand.
        const bool reads_operands = node.op == Op::activate && !node.get<ActivateParameters>().tanh;
        for (const Tensor tensor : reads_operands ? node.operands : node.results)
            last = std::max(last, maker_of(tensor));
    }
    if (last < 0) return std::nullopt;
    return nodes[static_cast<std::size_t>(last)].result();
}

void pull_back_all(std::span<const Node> nodes, const Trace& trace, Gradients& gradients,
                   std::optional<Tensor> last, const StopFlag& stop) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        throw_if_stopped(stop);
        const auto& results = node->results;
        if (last && std::ranges::find(results, *last) != results.end()) return;
        if (std::ranges::none_of(results, [&](Tensor result) { return gradients.has(result); }))
            continue;
        const PullBackInfo& row = pull_back_of(node->op);
        if (row.pull_back == nullptr)
            throw RecipeError("Headlight has no gradient for the step \"" + node->title + "\".");
        row.pull_back(*node, trace, gradients, stop);
    }
}

namespace gradient {

Matrix result_gradient(const Node& node, const Gradients& gradients) {
    Matrix sum;
    for (const Tensor result : node.results) {
        if (!gradients.has(result)) continue;
        if (sum.size() == 0)
            sum = gradients.of(result);
        else
            sum += gradients.of(result);
    }
    return sum;
}

}  // namespace gradient

}  // namespace headlight
