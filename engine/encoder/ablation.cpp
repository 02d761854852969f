#include "encoder/ablation.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/prediction.h"
#include "encoder/layers.h"
#include "encoder/lens.h"
#include "kernels/counted.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

namespace {

HeadEffect answer_of(const MatrixView& logits, Index of_class) {
    const MatrixView first = logits.block(0, 0, 1, logits.cols);
    return {class_probabilities(first)[static_cast<std::size_t>(of_class)], first(0, of_class)};
}

HeadEffect operator-(const HeadEffect& a, const HeadEffect& b) {
    return {a.probability - b.probability, a.logit - b.logit};
}

// Outputs of heads from another run, by block.
struct Replacement {
    std::vector<int> heads;
    SharedResult outputs;  // of all heads, side by side [B·N, C]
};
using Replacements = std::map<int, Replacement>;

void replace_outputs(Trace& layer, const Replacement& by) {
    Matrix mixed = layer.result(Tensor::head_output)->view().eigen();
    const Index width = layer.shape.value_width();
    for (const int head : by.heads)
        mixed.middleCols(head * width, width) =
            by.outputs->view().eigen().middleCols(head * width, width);
    layer.set(Tensor::head_output, make_result(std::move(mixed)));
}

// Recomputes block b and everything after it.
Trace end_from(Trace trace, int b, const Counterfactual& change, const Replacements& replacements,
               const StopFlag& stop) {
    for (; b < static_cast<int>(trace.model->layers.size()); ++b) {
        LayerWatch watch;
        if (const auto found = replacements.find(b); found != replacements.end())
            watch.meddle[Tensor::head_output] = [by = &found->second](Trace& layer) {
                replace_outputs(layer, *by);
            };
        end_layer(trace, b, compute_layer(trace, b, change, stop, watch).result(Tensor::output));
    }
    compute_all(end_nodes(*trace.model), trace, {nullptr, stop});
    return trace;
}

Matrix logits_from(const Trace& trace, int b, const Counterfactual& change,
                   const Replacements& replacements, const StopFlag& stop) {
    return end_from(trace, b, change, replacements, stop).view(Tensor::logits).eigen();
}

// `change` with one more head switched off; the list stays in ascending order.
Counterfactual without(Counterfactual change, HeadPlace head) {
    auto& off = change.switched_off;
    off.insert(std::ranges::upper_bound(off, head), head);
    return change;
}

bool is_off(const Counterfactual& change, HeadPlace head) {
    return std::ranges::find(change.switched_off, head) != change.switched_off.end();
}

constexpr std::string_view kImportance = "The importance of heads";

// Calls effect_of for every head of every layer.
template <class Effect>
auto measure_each_head(const Trace& trace, const AblationProgress& progress,
                       const Effect& effect_of) {
    const std::vector<Layer>& layers = trace.model->layers;
    const auto first = static_cast<std::size_t>(trace.model->token_transformers());
    std::vector<std::vector<decltype(effect_of(HeadPlace{}))>> effects(layers.size());
    int done = 0, all = 0;
    for (std::size_t b = first; b < layers.size(); ++b) all += layers[b].attention.heads;
    for (std::size_t b = first; b < layers.size(); ++b)
        for (int h = 0; h < layers[b].attention.heads; ++h) {
            effects[b].push_back(effect_of(HeadPlace{static_cast<int>(b), h}));
            if (progress) progress(static_cast<float>(++done) / static_cast<float>(all));
        }
    return effects;
}

void check(const ModelRun& now, const ModelRun& from) {
    const auto rows = [](const ModelRun& run) {
        return run.trace.stream.empty() ? Index{0} : run.trace.stream.back()->view().rows;
    };
    if (now.trace.model != from.trace.model || rows(now) != rows(from))
        throw RecipeError(
            "A head's output can be taken only from a run of the same model with the same number "
            "of tokens.");
}

SharedResult outputs_of(const ModelRun& run, int b, const StopFlag& stop) {
    constexpr std::array kKeep{Tensor::head_output};
    return compute_layer(run.trace, b, run.change, stop, {kKeep, {}}).result(Tensor::head_output);
}

// Replaces every row of a sample by the mean of the sample's rows.
SharedResult levelled(const Result& outputs, Index batch) {
    Matrix level = outputs.view().eigen();
    const Index rows = level.rows() / batch;
    for (Index sample = 0; sample < batch; ++sample) {
        const Vector mean = level.middleRows(sample * rows, rows).colwise().mean();
        level.middleRows(sample * rows, rows).rowwise() = mean;
    }
    return make_result(std::move(level));
}

// For each head, replaces its output by that of `outputs_for` for its layer and runs to the model's
// end; `effect_of` computes the effect from that run.
template <class Outputs, class Effect>
auto with_outputs(const ModelRun& now, const AblationProgress& progress, const StopFlag& stop,
                  const Outputs& outputs_for, const Effect& effect_of) {
    int of_layer = -1;
    SharedResult outputs;
    return measure_each_head(now.trace, progress, [&](const HeadPlace& head) {
        if (std::exchange(of_layer, head.layer) != head.layer) outputs = outputs_for(head.layer);
        const Replacements one{{head.layer, {{head.head}, outputs}}};
        return effect_of(end_from(now.trace, head.layer, now.change, one, stop));
    });
}

template <class Outputs>
HeadEffects replace_heads(const ModelRun& now, Index of_class, const AblationProgress& progress,
                          const StopFlag& stop, const Outputs& outputs_for) {
    expect_class(now.trace, of_class, kImportance);
    const HeadEffect whole = answer_of(now.trace.view(Tensor::logits), of_class);
    return with_outputs(now, progress, stop, outputs_for, [&](const Trace& end) {
        return answer_of(end.view(Tensor::logits), of_class) - whole;
    });
}

// The mean outputs of a layer's heads, for with_outputs.
auto levels_of(const Trace& trace, const Counterfactual& change, const StopFlag& stop) {
    return [&](int layer) {
        return levelled(*outputs_of({trace, change}, layer, stop), trace.shape.batch);
    };
}

double turn(const Vector& now, const Vector& before) {
    const Eigen::RowVectorXd a = now.cast<double>(), b = before.cast<double>();
    return 1 - std::clamp(a.dot(b) / (a.norm() * b.norm()), -1.0, 1.0);
}

}  // namespace

std::optional<Tensor> pooled_by(const Model& model) {
    const std::vector<Node> end = end_nodes(model);
    if (model.pooling == Pooling::none) return std::nullopt;
    for (auto node = end.rbegin(); node != end.rend(); ++node)
        if (const Tensor result = node->result();
            result != Tensor::norm && result < Tensor::objects)
            return result;
    return std::nullopt;
}

void expect_class(const Trace& trace, Index of_class, std::string_view what) {
    if (!has_classes(*trace.model) || !trace.has(Tensor::logits))
        throw RecipeError(std::string(what) + " needs a model with a classifier.");
    const Index classes = trace.view(Tensor::logits).cols;
    if (of_class < 0 || of_class >= classes)
        throw RecipeError("Class " + std::to_string(of_class) + ": this model has " +
                          counted(classes, "class") + ", counted from 0.");
}

HeadEffects ablate_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                         const AblationProgress& progress, const StopFlag& stop) {
    expect_class(trace, of_class, kImportance);
    const HeadEffect whole = answer_of(trace.view(Tensor::logits), of_class);
    return measure_each_head(trace, progress, [&](const HeadPlace& head) {
        if (is_off(change, head)) return HeadEffect{};
        return answer_of(logits_from(trace, head.layer, without(change, head), {}, stop),
                         of_class) -
               whole;
    });
}

HeadEffects level_heads(const Trace& trace, const Counterfactual& change, Index of_class,
                        const AblationProgress& progress, const StopFlag& stop) {
    return replace_heads({trace, change}, of_class, progress, stop, levels_of(trace, change, stop));
}

bool has_output_row(const Trace& trace) {
    return trace.model && !trace.model->is_maps() && trace.has(Tensor::encoded);
}

Vector output_row(const Trace& trace) {
    if (!has_output_row(trace))
        throw RecipeError(
            "The output's direction can be measured only in a model with a residual stream that "
            "was computed to its end.");
    const Model& model = *trace.model;
    if (const auto pooled = pooled_by(model)) return trace.view(*pooled).eigen().row(0);
    const MatrixView rows = trace.view(model.norm.exists() ? Tensor::norm : Tensor::encoded);
    const Index tokens = rows.rows / trace.shape.batch, prefix = trace.layout.prefix();
    if (trace.layout.class_tokens > 0) return rows.eigen().row(0);
    return rows.eigen().middleRows(prefix, tokens - prefix).colwise().mean();
}

HeadTurns turns_without_heads(const Trace& trace, const Counterfactual& change,
                              const AblationProgress& progress, const StopFlag& stop) {
    const Vector whole = output_row(trace);
    return measure_each_head(trace, progress, [&](const HeadPlace& head) {
        if (is_off(change, head)) return 0.0;
        return turn(output_row(end_from(trace, head.layer, without(change, head), {}, stop)),
                    whole);
    });
}

HeadTurns turns_of_level_heads(const Trace& trace, const Counterfactual& change,
                               const AblationProgress& progress, const StopFlag& stop) {
    const Vector whole = output_row(trace);
    return with_outputs({trace, change}, progress, stop, levels_of(trace, change, stop),
                        [&](const Trace& end) { return turn(output_row(end), whole); });
}

HeadEffects patch_heads(const ModelRun& now, const ModelRun& from, Index of_class,
                        const AblationProgress& progress, const StopFlag& stop) {
    check(now, from);
    return replace_heads(now, of_class, progress, stop,
                         [&](int layer) { return outputs_of(from, layer, stop); });
}

Matrix patched_answer(const ModelRun& now, const ModelRun& from,
                      const std::vector<HeadPlace>& heads, const StopFlag& stop) {
    expect_class(now.trace, 0, kImportance);
    check(now, from);
    Replacements all;
    for (const HeadPlace& head : heads) {
        Replacement& layer = all[head.layer];
        layer.heads.push_back(head.head);
        if (!layer.outputs) layer.outputs = outputs_of(from, head.layer, stop);
    }
    const int first = all.empty() ? now.trace.model->token_transformers() : all.begin()->first;
    return logits_from(now.trace, first, now.change, all, stop);
}

}  // namespace headlight
