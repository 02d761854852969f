#include "encoder/shuffle.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "analysis/prediction.h"
#include "encoder/lens.h"
#include "encoder/run_encoder.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

namespace {

Matrix in_order(const MatrixView& rows, const std::vector<Index>& order) {
    Matrix shuffled(rows.rows, rows.cols);
    for (std::size_t i = 0; i < order.size(); ++i)
        shuffled.row(static_cast<Index>(i)) = rows.eigen().row(order[i]);
    return shuffled;
}

// As far as its patches, which are these.
Trace front_of(const Trace& trace, SharedResult patches) {
    Trace front = trace;
    front.slots = {};
    front.stream.clear();
    front.nodes.clear();
    front.set(Tensor::patches, std::move(patches));
    return front;
}

Trace run(const Trace& trace, const Recipe& recipe, const PositionChoice& positions,
          SharedResult patches, const StopFlag& stop) {
    Counterfactual change = counterfactual_of(recipe, *trace.model);
    change.position = positions;
    return run_encoder(front_of(trace, std::move(patches)), change, {}, stop);
}

std::optional<Index> answer_of(const Trace& trace) {
    if (!has_classes(*trace.model) || !trace.has(Tensor::logits)) return std::nullopt;
    return top_predictions(trace.view(Tensor::logits), 1).front().index;
}

OrderEffect effect(const Trace& trace, const Recipe& recipe, const PositionChoice& positions,
                   const std::vector<Index>& order, const StopFlag& stop) {
    const SharedResult& patches = trace.result(Tensor::patches);
    const Trace plain = run(trace, recipe, positions, patches, stop);
    const Trace shuffled =
        run(trace, recipe, positions, make_result(in_order(patches->view(), order)), stop);
    const auto count = static_cast<Index>(order.size());
    const MatrixView was = plain.view(Tensor::encoded), is = shuffled.view(Tensor::encoded);
    const Index prefix = was.rows - count;
    OrderEffect found;
    found.largest = was.eigen().cwiseAbs().maxCoeff();
    found.difference = (in_order(was.block(prefix, 0, count, was.cols), order) -
                        is.block(prefix, 0, count, is.cols).eigen())
                           .cwiseAbs()
                           .maxCoeff();
    found.answer = answer_of(plain);
    found.answer_shuffled = answer_of(shuffled);
    return found;
}

}  // namespace

std::vector<Index> drawn_order(Index count, std::uint64_t seed) {
    std::vector<Index> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::mt19937_64 engine(seed);
    // Fisher and Yates; std::shuffle draws otherwise on other libraries. The bias of the remainder
    // is one in 2^64 / count.
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
    return order;
}

ShuffleEffects shuffle_patches(const Trace& trace, const Recipe& recipe,
                               const std::vector<Index>& order, const StopFlag& stop) {
    const Model& model = *trace.model;
    if (model.is_maps()) throw RecipeError("Attention maps alone have no patches to shuffle.");
    if (is_cross(trace))
        throw RecipeError(
            "Here learned queries read the patches, and what they give has no order of patches.");
    if (!model.splits.empty())
        throw RecipeError("T2T's tokens overlap: they cannot be shuffled like patches.");
    if (trace.view(Tensor::patches).rows != static_cast<Index>(order.size()))
        throw RecipeError("Expected an order of " +
                          std::to_string(trace.view(Tensor::patches).rows) + " patches, found " +
                          std::to_string(order.size()) + ".");
    PositionChoice none = recipe.position;
    none.kind = PositionKind::none;
    return {effect(trace, recipe, recipe.position, order, stop),
            effect(trace, recipe, none, order, stop)};
}

}  // namespace headlight
