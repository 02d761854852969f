#include "encoder/ablation.h"

#include <algorithm>
#include <string>

#include "analysis/prediction.h"
#include "encoder/layers.h"
#include "encoder/lens.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

namespace {

HeadEffect answer_of(const MatrixView& logits, Index of_class) {
    const MatrixView first = logits.block(0, 0, 1, logits.cols);
    return {class_probabilities(first)[static_cast<std::size_t>(of_class)], first(0, of_class)};
}

// From block b on, and the model's end.
HeadEffect answer_from(Trace trace, int b, const Counterfactual& change, Index of_class,
                       const StopFlag& stop) {
    for (; b < static_cast<int>(trace.model->layers.size()); ++b)
        end_layer(trace, b, compute_layer(trace, b, change, stop).result(Tensor::output));
    compute_all(end_nodes(*trace.model), trace, {nullptr, stop});
    return answer_of(trace.view(Tensor::logits), of_class);
}

// The same with a head switched off; places are kept in ascending order.
Counterfactual without(Counterfactual change, HeadPlace head) {
    auto& off = change.switched_off;
    off.insert(std::ranges::upper_bound(off, head), head);
    return change;
}

bool is_off(const Counterfactual& change, HeadPlace head) {
    return std::ranges::find(change.switched_off, head) != change.switched_off.end();
}

void check(const Trace& trace, Index of_class) {
    if (!has_lens(*trace.model) || !trace.has(Tensor::logits))
        throw RecipeError("The importance of heads needs a model with a classifier.");
    const Index classes = trace.view(Tensor::logits).cols;
    if (of_class < 0 || of_class >= classes)
        throw RecipeError("Class " + std::to_string(of_class) + ": this model has " +
                          std::to_string(classes) + ".");
}

}  // namespace

HeadEffects ablate_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                         const AblationProgress& progress, const StopFlag& stop) {
    check(trace, of_class);
    const HeadEffect whole = answer_of(trace.view(Tensor::logits), of_class);
    const std::vector<Layer>& layers = trace.model->layers;
    const int first = trace.model->token_transformers();
    HeadEffects effects(layers.size());
    int done = 0, all = 0;
    for (int b = first; b < static_cast<int>(layers.size()); ++b)
        all += layers[static_cast<std::size_t>(b)].attention.heads;
    for (int b = first; b < static_cast<int>(layers.size()); ++b)
        for (int h = 0; h < layers[static_cast<std::size_t>(b)].attention.heads; ++h) {
            HeadEffect effect;
            if (!is_off(change, {b, h})) {
                effect = answer_from(trace, b, without(change, {b, h}), of_class, stop);
                effect.probability -= whole.probability;
                effect.logit -= whole.logit;
            }
            effects[static_cast<std::size_t>(b)].push_back(effect);
            if (progress) progress(static_cast<float>(++done) / static_cast<float>(all));
        }
    return effects;
}

}  // namespace headlight
