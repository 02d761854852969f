#include "encoder/score_maps.h"

#include <algorithm>
#include <memory>

#include "encoder/bare_layer.h"
#include "encoder/layers.h"
#include "ops/limits.h"
#include "ops/ops.h"
#include "program/program.h"

namespace headlight {

namespace {

// True for the steps from scores to attention weights, without those that compute queries and keys.
bool is_of_scores(const Node& node) {
    switch (node.id) {
        case Step::score_query:
        case Step::score_key:
        case Step::products:
        case Step::scale:
        case Step::relative_bias:
        case Step::mask:
        case Step::softmax:
            return true;
        default:
            return false;
    }
}

// The model of the walk if it has weights for that score; otherwise with weights drawn from the
// seed that a walk would use.
std::shared_ptr<const Model> with_score_weights(const Trace& trace, const Recipe& recipe,
                                                Score score) {
    if (!trace.model->file.empty() || info(score).weight.empty()) return trace.model;
    if (trace.config.score() == score) return trace.model;
    auto model = std::make_shared<Model>(*trace.model);
    const auto b = static_cast<std::size_t>(trace.layer);
    AttentionConfig config = trace.config;
    config.variant.score = score;
    model->layers[b].score = drawn_score(config, trace.shape.keys, seed_of_layer(recipe.seed, b));
    return model;
}

ScoreMap map_of(Trace trace, Recipe recipe, Score score, const StopFlag& stop) {
    ScoreMap map{.score = score, .equation = ""};
    if (score != Score::scaled_dot) recipe.scale.reset();
    recipe.variant.score = score;
    trace.model = with_score_weights(trace, recipe, score);
    const LayerSettings settings =
        settings_of(*trace.model, trace.layer, counterfactual_of(recipe, *trace.model));
    std::vector<Node> nodes = nodes_of_layer(*trace.model, trace.layer, settings);
    std::erase_if(nodes, [](const Node& node) { return !is_of_scores(node); });
    trace.config = settings.attention;
    compute_all(nodes, trace, {nullptr, stop});
    map.equation = std::ranges::find(nodes, Step::products, &Node::id)->equation;
    map.scores = trace.result(Tensor::scores);
    map.weights = trace.result(Tensor::attention);
    return map;
}

}  // namespace

bool has_scores_to_choose(const Trace& trace) {
    const Model& model = *trace.model;
    if (!model.is_bare_layer() || model.is_maps() || !trace.keeps_squares) return false;
    const Layer& layer = model.layers[static_cast<std::size_t>(trace.layer)];
    return !layer.features && trace.has(Tensor::query) && trace.has(Tensor::key);
}

std::vector<ScoreMap> maps_of_scores(const Trace& trace, const Recipe& recipe,
                                     const StopFlag& stop) {
    if (!has_scores_to_choose(trace))
        throw RecipeError("The score can be chosen only for a single attention layer.");
    std::vector<ScoreMap> maps;
    for (const ScoreInfo& score : all_scores()) {
        throw_if_stopped(stop);
        try {
            maps.push_back(map_of(trace, recipe, score.id, stop));
        } catch (const AttentionError& error) {
            maps.push_back({.score = score.id, .equation = "", .why_not = error.what()});
        }
    }
    return maps;
}

}  // namespace headlight
