#include "ops/ops.h"

#include <array>
#include <span>

#include "kernels/names.h"
#include "ops/scores.h"
#include "ops/table.h"

namespace headlight {

namespace {

// For attention-only import: the matrices come from the file, so nothing is computed.
void leave(const Node&, Trace&, const Tools&) {}

// In the order of the enumerators.
std::span<const OpInfo> table() {
    using namespace ops;
    static constexpr auto rows = std::to_array<OpInfo>({
        {Op::frame, compute_frame, explain_frame},
        {Op::gather, compute_gather, explain_gather},
        {Op::given, compute_given, explain_given},
        {Op::array, compute_array, explain_given},
        {Op::drawn, compute_drawn, explain_given},
        {Op::curve, compute_curve, explain_given},
        {Op::windows, compute_windows, explain_windows},
        {Op::stack, compute_stack, explain_stack},
        {Op::add, compute_add, explain_add},
        {Op::positions, compute_positions, explain_add},
        {Op::linear, compute_linear, explain_linear},
        {Op::project, compute_project, explain_linear},
        {Op::classify, compute_linear, explain_linear},
        {Op::cut, compute_cut, explain_cut},
        {Op::norm, compute_norm, explain_norm},
        {Op::batch_norm, compute_batch_norm, explain_batch_norm},
        {Op::norm_heads, compute_norm_heads, explain_norm},
        {Op::rotate, compute_rotate, explain_rotate},
        {Op::unit, compute_unit, explain_unit},
        {Op::linear_heads, compute_linear_heads, explain_linear},
        {Op::learned_keys, compute_learned_keys, explain_learned_keys},
        {Op::features, compute_features, explain_features},
        {Op::multiply, compute_multiply, explain_multiply},
        {Op::additive, compute_additive, explain_additive},
        // One pass computes these five (scores.h). After the layers, in attention pooling, scale
        // and softmax are computed separately.
        {Op::scale, compute_scale, explain_scale},
        {Op::relative, leave, explain_relative},
        {Op::mask, leave, explain_mask},
        {Op::softmax, compute_softmax, explain_softmax},
        {Op::largest, leave, explain_largest},
        {Op::share, compute_share, explain_share},
        {Op::dropout, compute_dropout, explain_dropout},
        {Op::turn, compute_turn, explain_turn},
        {Op::mix, compute_mix, explain_mix},
        {Op::join, compute_join, explain_join},
        {Op::stretch, compute_stretch, explain_stretch},
        {Op::activate, compute_activate, explain_activate},
        {Op::learned, compute_learned, explain_learned},
        {Op::pool, compute_pool, explain_pool},
        {Op::point, compute_point, explain_point},
    });
    static_assert(rows_fit(rows, &OpInfo::op, &OpInfo::compute, &OpInfo::explain));
    return rows;
}

bool is_weight(const Node& node, Tensor tensor) {
    for (const NodeWeight& weight : node.weights)
        if (weight.name == tensor) return true;
    return false;
}

}  // namespace

const OpInfo& info(Op op) { return table()[static_cast<std::size_t>(op)]; }

Stamp stamp_of(const Node& node, const Trace& trace) {
    Stamp stamp{node.op, node.parameters, node.results, {}};
    for (const Tensor operand : node.operands)
        if (!is_weight(node, operand)) stamp.reads.push_back(trace.slot(operand).read());
    for (const NodeWeight& weight : node.weights)
        stamp.reads.push_back({weight.value ? weight.value->version() : 0, 0, 0, 0, 0});
    if (is_square(node.op)) stamp.reads.push_back({trace.keeps_squares ? 1U : 0U, 0, 0, 0, 0});
    return stamp;
}

std::size_t compute(std::span<const Node> nodes, std::size_t at, Trace& trace, const Tools& tools) {
    throw_if_stopped(tools.stop);
    const std::span<const Node> pass = one_pass(nodes.subspan(at));
    if (!pass.empty())
        compute_attention(pass, trace, tools);
    else
        info(nodes[at].op).compute(nodes[at], trace, tools);
    const std::size_t done = pass.empty() ? 1 : pass.size();
    for (const Node& node : nodes.subspan(at, done))
        trace.made[static_cast<std::size_t>(node.id)] = stamp_of(node, trace);
    return done;
}

void compute_all(std::span<const Node> nodes, Trace& trace, const Tools& tools) {
    for (std::size_t at = 0; at < nodes.size();) at += compute(nodes, at, trace, tools);
}

}  // namespace headlight
