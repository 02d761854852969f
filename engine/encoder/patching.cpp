#include "encoder/patching.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "analysis/prediction.h"
#include "encoder/layers.h"
#include "ops/limits.h"
#include "ops/ops.h"

namespace headlight {

namespace {

// Upper limit for the attention of all heads of the samples in one batch, in bytes.
constexpr double kBatchBytes = 48.0 * 1024 * 1024;
constexpr Index kMostSamples = 16;

ClassAnswer answer_in(const MatrixView& logits, Index sample, Index of_class) {
    const MatrixView row = logits.block(sample, 0, 1, logits.cols);
    return {class_probabilities(row)[static_cast<std::size_t>(of_class)], row(0, of_class)};
}

HeadEffect effect_of(const ClassAnswer& patched, const ClassAnswer& now) {
    return {patched.probability - now.probability, patched.logit - now.logit};
}

MatrixView stream_of(const ModelRun& run, int step) {
    const MatrixView all = run.trace.stream[static_cast<std::size_t>(step)]->view();
    return all.block(0, 0, all.rows / run.trace.shape.batch, all.cols);
}

void check(const ModelRun& now, const ModelRun& from, Index of_class) {
    for (const ModelRun* run : {&now, &from}) {
        expect_class(run->trace, of_class, "Patching");
        if (run->trace.stream.size() != run->trace.model->layers.size() + 1)
            throw RecipeError("Patching needs models that were computed to their end.");
    }
    const int last = static_cast<int>(now.trace.model->layers.size());
    if (now.trace.model != from.trace.model ||
        stream_of(now, last).rows != stream_of(from, last).rows)
        throw RecipeError(
            "Patching can use only a run of the same model with the same number of tokens.");
}

void answer_both(PatchedAnswers& answers, const ModelRun& now, const ModelRun& from,
                 Index of_class) {
    answers.now = answer_in(now.trace.view(Tensor::logits), 0, of_class);
    answers.from = answer_in(from.trace.view(Tensor::logits), 0, of_class);
}

// The logits of all samples, computed from block b to the model's end; `watch` applies to block b.
Matrix watched_logits(Trace trace, int b, const Counterfactual& change, const LayerWatch& watch,
                      const StopFlag& stop) {
    const int last = static_cast<int>(trace.model->layers.size());
    for (int at = b; at < last; ++at)
        end_layer(trace, at,
                  compute_layer(trace, at, change, stop, at == b ? watch : LayerWatch{})
                      .result(Tensor::output));
    compute_all(end_nodes(*trace.model), trace, {nullptr, stop});
    return trace.all(Tensor::logits).eigen();
}

// The logits for these samples of tokens at that step of the residual stream.
Matrix logits_with(const ModelRun& now, int step, Matrix tokens, Index samples,
                   const StopFlag& stop) {
    Trace trace = now.trace;
    trace.shape.batch = samples;
    SharedResult patched = make_result(std::move(tokens));
    if (step == static_cast<int>(trace.model->layers.size())) trace.set(Tensor::encoded, patched);
    trace.stream[static_cast<std::size_t>(step)] = std::move(patched);
    return watched_logits(std::move(trace), step, now.change, {}, stop);
}

// ---- tokens

// One step of the residual stream, with one or all tokens taken from the other run.
class StepPatcher {
  public:
    StepPatcher(const ModelRun& now, const ModelRun& from, int step, Index of_class)
        : run_(now),
          now_(stream_of(now, step)),
          from_(stream_of(from, step)),
          step_(step),
          class_(of_class),
          answer_(answer_in(now.trace.view(Tensor::logits), 0, of_class)) {}

    [[nodiscard]] HeadEffect all(const StopFlag& stop) const {
        const Matrix logits = logits_with(run_, step_, from_.eigen(), 1, stop);
        return effect_of(answer_in(logits, 0, class_), answer_);
    }

    // `done` is called with the number of tokens done.
    template <class Done>
    [[nodiscard]] std::vector<HeadEffect> each(const Done& done, const StopFlag& stop) const {
        std::vector<HeadEffect> effects(static_cast<std::size_t>(now_.rows));
        // Tokens that are equal in both runs have no effect. Before the first layer, these are most
        // tokens of an edited picture.
        std::vector<Index> others;
        for (Index t = 0; t < now_.rows; ++t)
            if (now_.eigen().row(t) != from_.eigen().row(t)) others.push_back(t);
        const std::size_t at_once = samples_at_once();
        for (std::size_t i = 0; i < others.size(); i += at_once) {
            throw_if_stopped(stop);
            const std::size_t count = std::min(at_once, others.size() - i);
            take(effects, {others.data() + i, count}, stop);
            done(static_cast<Index>(i + count));
        }
        return effects;
    }

  private:
    [[nodiscard]] std::size_t samples_at_once() const {
        const double heads = static_cast<double>(run_.trace.config.heads),
                     rows = static_cast<double>(now_.rows);
        return static_cast<std::size_t>(std::clamp(
            static_cast<Index>(kBatchBytes / (4 * heads * rows * rows)), Index{1}, kMostSamples));
    }

    // Computes the effects of these tokens, one sample per token.
    void take(std::vector<HeadEffect>& effects, std::span<const Index> tokens,
              const StopFlag& stop) const {
        const auto samples = static_cast<Index>(tokens.size());
        Matrix batch = now_.eigen().replicate(samples, 1);
        for (Index s = 0; s < samples; ++s)
            batch.row(s * now_.rows + tokens[static_cast<std::size_t>(s)]) =
                from_.eigen().row(tokens[static_cast<std::size_t>(s)]);
        const Matrix logits = logits_with(run_, step_, std::move(batch), samples, stop);
        for (Index s = 0; s < samples; ++s)
            effects[static_cast<std::size_t>(tokens[static_cast<std::size_t>(s)])] =
                effect_of(answer_in(logits, s, class_), answer_);
    }

    const ModelRun& run_;
    MatrixView now_, from_;
    int step_;
    Index class_;
    ClassAnswer answer_;
};

// ---- layers

constexpr std::array kBranches{Tensor::head_output, Tensor::mlp};

// The outputs of the layer's branches in the other run.
Trace branches_of(const ModelRun& from, int b, const StopFlag& stop) {
    return compute_layer(from.trace, b, from.change, stop, {kBranches, {}});
}

HeadEffect with_branches(const ModelRun& now, const Trace& from, int b,
                         std::span<const Tensor> branches, Index of_class, const StopFlag& stop) {
    LayerWatch watch;
    for (const Tensor branch : branches)
        watch.meddle[branch] = [&from, branch](Trace& layer) {
            layer.set(branch, from.result(branch));
        };
    const Matrix logits = watched_logits(now.trace, b, now.change, watch, stop);
    return effect_of(answer_in(logits, 0, of_class),
                     answer_in(now.trace.view(Tensor::logits), 0, of_class));
}

}  // namespace

TokenEffects patch_tokens(const ModelRun& now, const ModelRun& from, Index of_class,
                          const TokenEffectsSoFar& so_far, const AblationProgress& progress,
                          const StopFlag& stop) {
    check(now, from, of_class);
    const int first = now.trace.model->alike_from(),
              last = static_cast<int>(now.trace.model->layers.size());
    TokenEffects found;
    answer_both(found, now, from, of_class);
    found.tokens.resize(static_cast<std::size_t>(last - first) + 1);
    found.all.resize(found.tokens.size());
    // In layers to run; the model's end counts as one layer.
    const auto cost = [&](int step) { return static_cast<float>(last - step + 1); };
    float all = 0, done = 0;
    for (int step = first; step <= last; ++step) all += cost(step);
    for (int step = last; step >= first; --step) {
        const auto at = static_cast<std::size_t>(step - first);
        const StepPatcher patcher(now, from, step, of_class);
        found.all[at] = patcher.all(stop);
        const auto rows = static_cast<float>(stream_of(now, step).rows);
        found.tokens[at] = patcher.each(
            [&](Index tokens) {
                if (progress)
                    progress((done + cost(step) * static_cast<float>(tokens) / rows) / all);
            },
            stop);
        done += cost(step);
        if (progress) progress(done / all);
        if (so_far) so_far(found);
    }
    return found;
}

LayerEffects patch_layers(const ModelRun& now, const ModelRun& from, Index of_class,
                          const AblationProgress& progress, const StopFlag& stop) {
    check(now, from, of_class);
    const int first = now.trace.model->token_transformers(),
              count = static_cast<int>(now.trace.model->layers.size());
    LayerEffects found;
    answer_both(found, now, from, of_class);
    found.layers.resize(static_cast<std::size_t>(count));
    for (int b = first; b < count; ++b) {
        const Trace other = branches_of(from, b, stop);
        const auto effect = [&](std::span<const Tensor> branches) {
            return with_branches(now, other, b, branches, of_class, stop);
        };
        LayerEffect& layer = found.layers[static_cast<std::size_t>(b)];
        const std::span<const Tensor> both = kBranches;
        layer.attention = layer.both = effect(both.first(1));
        if (now.trace.model->layers[static_cast<std::size_t>(b)].mlp_out.exists()) {
            layer.mlp = effect(both.last(1));
            layer.both = effect(both);
        }
        if (progress)
            progress(static_cast<float>(b - first + 1) / static_cast<float>(count - first));
    }
    return found;
}

}  // namespace headlight
