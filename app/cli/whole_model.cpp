#include "cli/whole_model.h"

#include <utility>
#include <vector>

#include "analysis/rollout.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "encoder/run_encoder.h"

namespace headlight::cli {

namespace {

// Rollout of every sample.
class Rollouts {
  public:
    explicit Rollouts(const RolloutSettings& settings) : settings_(settings) {}

    void add(const Trace& layer, const StopFlag& stop) {
        const AttentionShape& shape = layer.shape;
        samples_.resize(static_cast<std::size_t>(shape.batch), Rollout(settings_));
        const MatrixView maps = layer.all(Tensor::attention);
        const Index rows = shape.heads * shape.queries;
        for (Index b = 0; b < shape.batch; ++b)
            samples_[static_cast<std::size_t>(b)].add(maps.block(b * rows, 0, rows, maps.cols),
                                                      shape.heads, stop);
    }
    [[nodiscard]] std::vector<MatrixView> results() const {
        std::vector<MatrixView> results;
        for (const Rollout& sample : samples_) results.emplace_back(sample.result());
        return results;
    }

  private:
    RolloutSettings settings_;
    std::vector<Rollout> samples_;
};

// What enters the first layer, as it is given: after CLIP's norm where there is one.
Trace trace_of_tokens(const Source& source) {
    const Model& model = *source.model;
    const InputTensor tokens{source.input.at("tokens"), source.input_path, "tokens"};
    const Layer& first = model.layers[static_cast<std::size_t>(model.token_transformers())];
    if (first.window.exists())
        tokens.refuse(
            "pixels for " + model.title + ", whose windows are cut out of a picture's map",
            "tokens");
    Matrix rows = token_rows(tokens, first.attention.dim, model);
    const Index prefix = model.prefix.count();
    if (tokens.extent(1) <= prefix)
        tokens.refuse("more than the " + std::to_string(prefix) +
                      " tokens that stand before the patches of this model");
    Trace trace;
    trace.model = source.model;
    trace.shape.batch = tokens.extent(0);
    trace.grid = source.grid;
    if (source.grid.count() == 0) {  // nothing says how the patches lie
        trace.grid.rows = 1;
        trace.grid.cols = static_cast<int>(tokens.extent(1) - prefix);
    } else if (prefix > 0) {
        tokens.refuse("[B, N, D] for this model, with its " + std::to_string(prefix) +
                          " tokens before the patches",
                      "a feature map");
    }
    trace.set(model.pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens,
              make_result(std::move(rows)));
    return trace;
}

// A whole model reads its own tokens, all of them.
void expect_own_tokens(const Source& source) {
    for (const char* name : {"query", "key", "value", "mask", "key_padding_mask"})
        if (source.input.contains(name))
            throw WorkError(source.input_path +
                            ": expected pixels or tokens for a whole model, found \"" + name +
                            "\".");
}

Trace front_of(const Source& source) {
    expect_own_tokens(source);
    return source.input.contains("tokens") ? trace_of_tokens(source) : trace_of_patches(source);
}

// Writes the gradient of every tensor of the trace, from the last back to the pixels. Where tokens
// were given, it ends at them.
void write_gradients(const Trace& trace, const Counterfactual& change, const GradientTarget& target,
                     const LayersOption& layers, const PositionChoice& positions,
                     TraceWriter& writer, const std::function<void(const std::string&)>& progress,
                     const StopFlag& stop) {
    writer.begin_gradients();
    const int first = trace.model->token_transformers();
    const bool of_picture = trace.has(Tensor::patches);
    writer.end(with_gradients(trace, gradients_at_end(trace, target, stop)));
    GradientReach reach;
    if (!of_picture) reach = {first, {}, false};
    const auto take = [&](const LayerGradients& of) {
        const int layer = of.layer.layer - first;
        if (layer < 0 ? layers.all() : layers.has(layer))
            writer.layer(with_gradients(of.layer, of.gradients));
        if (layer < 0 && layers.all()) writer.split(trace, of.layer.layer, gradient_of_input(of));
        if (layer == 0 && !of_picture) {
            Gradients of_tokens;
            of_tokens.add(trace.model->pre_norm.exists() ? Tensor::pre_norm : Tensor::tokens,
                          gradient_of_input(of));
            writer.front(with_gradients(trace, of_tokens), positions);
        }
        if (progress) progress("back through " + of.layer.model_layer().name);
    };
    const InputGradient input = run_backward(trace, change, target, reach, take, stop);
    if (!of_picture) return;
    if (first > 0 && layers.all()) writer.split(trace, first, input.gradients.of(Tensor::patches));
    writer.front(with_gradients(trace, input.gradients), positions);
    writer.pixels(input.pixels, {trace.shape.batch, input.channels, input.height, input.width});
}

}  // namespace

Beginning begin_whole_model(const Source& source) {
    return {front_of(source), counterfactual_of(source.asked, *source.model)};
}

void trace_whole_model(const Source& source, const LayersOption& layers,
                       const std::optional<GradientTarget>& gradient_of, TraceWriter& writer,
                       std::ostream& warnings,
                       const std::function<void(const std::string&)>& progress,
                       const StopFlag& stop) {
    const Model& model = *source.model;
    const PositionChoice& positions = source.asked.position;
    const int first = model.token_transformers();
    Rollouts rollouts(source.asked.rollout.value_or(RolloutSettings{}));
    const bool follows =
        !model.has_merges();  // else a layer's keys are no queries of the one before
    const auto split = [&](const Trace& trace, int level) {
        if (layers.all() && !trace.splits.empty()) writer.split(trace, level);
    };
    const auto take = [&](const Trace& trace) {
        const int layer = trace.layer - first;
        if (layer <= 0) split(trace, trace.layer);
        if (layer == 0) writer.front(trace, positions);
        if (layer >= 0 && follows) rollouts.add(trace, stop);
        if (layer < 0 ? layers.all() : layers.has(layer)) writer.layer(trace);
        if (progress)
            progress(trace.model_layer().name + " of " +
                     std::to_string(static_cast<int>(model.layers.size()) - first));
    };
    auto [front, change] = begin_whole_model(source);
    say_layout(front, warnings);
    const Trace trace = run_encoder(std::move(front), change, take, stop);
    writer.end(trace);
    if (follows) writer.rollout(rollouts.results());
    if (gradient_of)
        write_gradients(trace, change, *gradient_of, layers, positions, writer, progress, stop);
}

}  // namespace headlight::cli
