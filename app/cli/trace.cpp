#include "cli/trace.h"

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/rollout.h"
#include "cli/errors.h"
#include "cli/front.h"
#include "cli/gradient_option.h"
#include "cli/json.h"
#include "cli/layers_option.h"
#include "cli/trace_writer.h"
#include "encoder/lens.h"
#include "gradient/backward.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// The file's metadata. It states the layers, which reveals a script that still counts them from 0.
std::map<std::string, std::string> facts_of(const TraceOptions& options,
                                            const LayersOption& layers) {
    std::map<std::string, std::string> facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                                             {"model", options.model},
                                             {"layers", layers.numbers()},
                                             {"layer numbers", "count from 1: layer 1 is layer.0"}};
    if (!options.gradient_of.empty()) facts["gradient of"] = options.gradient_of;
    return facts;
}

template <class Enum>
Enum choice(const JsonValue& value) {
    const std::vector<std::string_view> names(names_of<Enum>().begin(), names_of<Enum>().end());
    return *value_named<Enum>(value.choice(names));
}

// --rollout: {"fusion": "max", "discard_ratio": 0.9, "normalisation": "vit_explain"}. Unset values,
// or all of them for an empty text, are as published. Throws UsageError.
RolloutSettings parse_rollout(const std::string& text) {
    RolloutSettings settings;
    if (text.empty()) return settings;
    const Json object = parse_object(text, "--rollout");
    for (const auto& item : object.items()) {
        const JsonValue value(item.value(), "--rollout", item.key());
        if (item.key() == "fusion") {
            settings.fusion = choice<HeadFusion>(value);
        } else if (item.key() == "normalisation") {
            settings.normalisation = choice<RolloutNormalisation>(value);
        } else if (item.key() == "discard_ratio") {
            settings.discard_ratio = value.number();
            if (settings.discard_ratio < 0 || settings.discard_ratio >= 1)
                value.refuse("a number of at least 0 and below 1");
        } else {
            throw UsageError(
                "--rollout: expected the key fusion, discard_ratio or \"normalisation\", found \"" +
                item.key().substr(0, 80) + "\".");
        }
    }
    return settings;
}

// Computes the rollout of every sample.
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

// Writes the gradient of every tensor of the trace, from the last one back to the pixels, or to
// given tokens.
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

// Runs all layers of a model, or reads them from a file of maps, and writes each when it is ready.
// Then writes the gradients of `gradient_of`, if set, from the end back to the pixels.
void trace_layers(const Source& source, const LayersOption& layers,
                  const std::optional<GradientTarget>& gradient_of, TraceWriter& writer,
                  const Audience& audience) {
    const Model& model = *source.model;
    const PositionChoice& positions = source.asked.position;
    const int first = model.token_transformers();
    Rollouts rollouts(source.asked.rollout.value_or(RolloutSettings{}));
    // After a merge, a layer's key tokens are not the previous layer's query tokens.
    const bool has_rollout = !model.has_merges() && !model.is_bare_layer();
    const auto take = [&](const Trace& trace) {
        const int layer = trace.layer - first;
        if (layer <= 0 && layers.all() && !trace.splits.empty()) writer.split(trace, trace.layer);
        if (layer == 0) writer.front(trace, positions);
        if (layer >= 0 && has_rollout) rollouts.add(trace, audience.stop);
        if (layer < 0 ? layers.all() : layers.has(layer)) writer.layer(trace);
        if (audience.progress)
            audience.progress(trace.model_layer().name + " of " +
                              std::to_string(static_cast<int>(model.layers.size()) - first));
    };
    Beginning beginning = beginning_of(source);
    say_layout(beginning.front, audience.warnings);
    const Counterfactual change = beginning.change;
    const Trace trace = Runner::run(std::move(beginning), take, audience.stop);
    writer.end(trace);
    if (has_rollout) writer.rollout(rollouts.results());
    if (gradient_of)
        write_gradients(trace, change, *gradient_of, layers, positions, writer, audience.progress,
                        audience.stop);
}

}  // namespace

void run_trace(const TraceOptions& options, const Audience& audience) {
    for (const char* ending : {".npz", ".npy", ".csv", ".json"})
        if (options.out.ends_with(ending))
            throw UsageError(
                "--out: expected the name of a .safetensors file, which is what trace writes, "
                "found " +
                options.out + ".");
    expect_own_output(options.out, options);
    expect_another_file(options.out, "--gradient-of", image_of_cosine(options.gradient_of));
    LayersOption layers(options.layers);
    Source source = read_source(options, audience.warnings, audience.stop);
    if (!options.rollout.empty() && source.model->is_bare_layer())
        throw UsageError("--rollout can be used only with a whole model or maps, found one layer.");
    const Model& model = *source.model;
    if (!options.rollout.empty() && model.has_merges())
        throw UsageError("--rollout: expected a model with the same tokens in all layers, found " +
                         model.title + ", which merges tokens between layers.");
    source.asked.rollout = parse_rollout(options.rollout);
    layers.expect_within(static_cast<int>(model.layers.size()) - model.token_transformers(),
                         options.model);

    layers.say(audience.warnings);
    const std::optional<GradientTarget> gradient_of =
        target_or_cosine(options.gradient_of, source, audience.stop);

    TraceWriter writer(options.out, model, facts_of(options, layers), gradient_of.has_value());
    trace_layers(source, layers, gradient_of, writer, audience);
    if (model.has_merges())
        audience.warnings
            << "headlight: no rollout was written, because the layers have different tokens.\n";
    throw_if_stopped(audience.stop);
    writer.finish(audience.warnings);
}

}  // namespace headlight::cli
