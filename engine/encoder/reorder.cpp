#include "encoder/reorder.h"

#include <string>
#include <utility>

#include "encoder/lens.h"
#include "encoder/runner.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "program/program.h"

namespace headlight {

namespace {

// The tokens before positions are added: for a picture, its patches.
Tensor unplaced(const Trace& trace) {
    if (trace.has(Tensor::patches)) return Tensor::patches;
    return trace.has(Tensor::given) ? Tensor::given : Tensor::tokens;
}

Matrix in_order(const MatrixView& rows, const std::vector<Index>& order) {
    Matrix ordered(rows.rows, rows.cols);
    for (std::size_t i = 0; i < order.size(); ++i)
        ordered.row(static_cast<Index>(i)) = rows.eigen().row(order[i]);
    return ordered;
}

// A trace that only holds the reordered tokens: patches, from which everything else is computed, or
// given tokens plus their position embedding.
Trace front_of(const Trace& trace, Positions positions, const std::vector<Index>& order) {
    const Tensor tokens = unplaced(trace);
    Matrix rows = in_order(trace.view(tokens), order);
    const MatrixView table = trace.view(Tensor::positions);
    const bool adds = tokens == Tensor::given && positions == Positions::as_they_are;
    if (adds && !table.empty()) rows += table.eigen();
    Trace front = trace;
    front.slots = {};
    front.stream.clear();
    front.nodes.clear();
    front.set(tokens == Tensor::patches ? Tensor::patches : Tensor::tokens,
              make_result(std::move(rows)));
    return front;
}

std::vector<Pointing> pointing_of(const Trace& trace, const OrderedTokens& tokens) {
    std::vector<Pointing> found;
    const MatrixView logits = trace.view(Tensor::pointing);
    for (Index i = 0; i < tokens.count() && !logits.empty(); ++i)
        found.push_back(point_of(logits, tokens.prefix + i));
    return found;
}

}  // namespace

OrderedTokens tokens_to_order(const Trace& trace) {
    const Model& model = *trace.model;
    if (model.is_maps()) throw RecipeError("A file of attention maps has no patches to shuffle.");
    if (is_cross(trace))
        throw RecipeError(
            "Here learned queries attend to the patches, so the outputs are not in the order of "
            "the patches.");
    if (!model.splits.empty())
        throw RecipeError("T2T's tokens overlap, so they cannot be shuffled like patches.");
    if (model.has_merges() || model.layers.front().window.exists())
        throw RecipeError(
            "This model uses windows or merges neighbors. Shuffled patches have different "
            "neighbors, so the outputs are different tokens, not the same ones in another order.");
    OrderedTokens tokens{trace.has(Tensor::patches) ? model.prefix.count() : 0, trace.grid.rows,
                         trace.grid.cols};
    const Index found = trace.view(unplaced(trace)).rows;
    if (found != tokens.count())
        throw RecipeError("Expected " + std::to_string(tokens.count()) +
                          " tokens to reorder, found " + std::to_string(found) + ".");
    return tokens;
}

OrderedRun run_in_order(const Trace& trace, const Recipe& recipe, Positions positions,
                        const std::vector<Index>& order, const StopFlag& stop) {
    const OrderedTokens tokens = tokens_to_order(trace);
    if (tokens.count() != static_cast<Index>(order.size()))
        throw RecipeError("Expected an order of " + std::to_string(tokens.count()) +
                          " patches, found " + std::to_string(order.size()) + ".");
    Counterfactual change = counterfactual_of(recipe, *trace.model);
    if (positions == Positions::none) change.position.kind = PositionKind::none;
    const Trace done = Runner::run({front_of(trace, positions, order), change}, {}, stop);
    OrderedRun run;
    run.output = done.result(Tensor::encoded);
    if (has_classes(*trace.model) && done.has(Tensor::logits))
        run.answers = top_predictions(done.view(Tensor::logits), kAnswers);
    run.pointing = pointing_of(done, tokens);
    return run;
}

OrderEffect compare_orders(OrderedRun plain, OrderedRun changed, Index prefix,
                           const std::vector<Index>& order) {
    const MatrixView was = plain.output->view(), is = changed.output->view();
    Matrix difference = is.eigen() - was.eigen();
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Index row = prefix + static_cast<Index>(i), home = prefix + order[i];
        difference.row(home) = is.eigen().row(row) - was.eigen().row(home);
    }
    OrderEffect effect;
    effect.largest = was.eigen().cwiseAbs().maxCoeff();
    effect.most = difference.cwiseAbs().maxCoeff();
    effect.difference = make_result(std::move(difference));
    effect.plain = std::move(plain);
    effect.changed = std::move(changed);
    return effect;
}

}  // namespace headlight
