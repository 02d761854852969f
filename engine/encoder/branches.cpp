#include "encoder/branches.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "encoder/layers.h"
#include "ops/limits.h"

namespace headlight {

namespace {

// Where a branch joins the residual stream: the two operands of an addition.
struct Joint {
    Tensor stream, branch;
};

// The operands of the layer's addition with this name. Nothing if the layer has none, or adds to
// something other than the residual stream (T2T's first layers add V).
std::optional<Joint> joint_of(const std::vector<Node>& nodes, Step step) {
    const auto node = std::ranges::find(nodes, step, &Node::id);
    if (node == nodes.end() || node->op != Op::add || node->operands.size() != 2)
        return std::nullopt;
    const Joint joint{node->operands[0], node->operands[1]};
    constexpr std::array kStreams{Tensor::input, Tensor::residual1, Tensor::norm1};
    if (std::ranges::find(kStreams, joint.stream) == kStreams.end()) return std::nullopt;
    return joint;
}

std::vector<double> sizes(const Trace& own, const std::optional<Joint>& joint) {
    if (!joint || !own.has(joint->stream) || !own.has(joint->branch)) return {};
    const MatrixView stream = own.view(joint->stream), branch = own.view(joint->branch);
    std::vector<double> sizes;
    for (Index token = 0; token < stream.rows; ++token)
        sizes.push_back(branch.eigen().row(token).cast<double>().norm() /
                        stream.eigen().row(token).cast<double>().norm());
    return sizes;
}

}  // namespace

std::vector<BranchSizes> branch_sizes(const Trace& trace, const Counterfactual& change,
                                      const AblationProgress& progress, const StopFlag& stop) {
    const std::size_t layers = trace.model ? trace.model->layers.size() : 0;
    if (layers == 0 || trace.stream.size() != layers + 1)
        throw RecipeError(
            "The sizes of the branches can be measured only in a model that was computed to its "
            "end.");
    const auto first = static_cast<std::size_t>(trace.model->token_transformers());
    std::vector<BranchSizes> all(layers);
    for (std::size_t b = first; b < layers; ++b) {
        const auto number = static_cast<int>(b);
        const std::vector<Node> nodes =
            nodes_of_layer(*trace.model, number, settings_of(*trace.model, number, change));
        const auto attention = joint_of(nodes, Step::skip), mlp = joint_of(nodes, Step::residual2);
        std::vector<Tensor> keep;
        for (const auto& joint : {attention, mlp})
            if (joint) keep.insert(keep.end(), {joint->stream, joint->branch});
        const Trace own = compute_layer(trace, number, change, stop, {keep, {}});
        all[b] = {sizes(own, attention), sizes(own, mlp)};
        if (progress)
            progress(static_cast<float>(b + 1 - first) / static_cast<float>(layers - first));
    }
    return all;
}

double mean_of(const std::vector<double>& sizes) {
    if (sizes.empty()) return std::numeric_limits<double>::quiet_NaN();
    return std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
}

}  // namespace headlight
