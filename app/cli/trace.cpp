#include "cli/trace.h"

#include <map>
#include <optional>
#include <ostream>

#include "cli/bare_layer.h"
#include "cli/errors.h"
#include "cli/layers_option.h"
#include "cli/rollout_option.h"
#include "cli/trace_writer.h"
#include "cli/whole_model.h"
#include "encoder/lens.h"
#include "gradient/backward.h"
#include "program/values.h"

namespace headlight::cli {

namespace {

// What the file says of itself. A script may still count layers from 0: so it can be seen.
std::map<std::string, std::string> facts_of(const TraceOptions& options,
                                            const LayersOption& layers) {
    std::map<std::string, std::string> facts{{"made by", "Headlight " HEADLIGHT_VERSION},
                                             {"model", options.model},
                                             {"layers", layers.numbers()},
                                             {"layer numbers", "count from 1: layer 1 is layer.0"}};
    if (!options.gradient_of.empty()) facts["gradient of"] = options.gradient_of;
    return facts;
}

// The class by its index, or what a model without classes gives.
std::optional<GradientTarget> target_of(const TraceOptions& options, const Source& source) {
    if (options.gradient_of.empty()) return std::nullopt;
    const Model& model = *source.model;
    if (const std::string why = why_no_gradient(model, counterfactual_of(source.asked, model));
        !why.empty())
        throw WorkError(options.model + ": " + why);
    if (!has_classes(model)) {
        if (options.gradient_of == "pooled") return GradientTarget{};
        throw UsageError("--gradient-of: expected pooled of a model without classes, found " +
                         in_quotes(options.gradient_of) + ".");
    }
    const auto classes = static_cast<int>(model.classifier.weight->view().rows);
    try {
        return GradientTarget{parse_integer("--gradient-of", options.gradient_of, 0, classes - 1)};
    } catch (const ValueError& error) {
        throw UsageError(error.what());
    }
}

}  // namespace

void run_trace(const TraceOptions& options, const TraceAudience& audience) {
    expect_own_output(options.out, options);
    LayersOption layers(options.layers);
    Source source = read_source(options, audience.warnings, audience.stop);
    if (!options.rollout.empty() && source.model->is_bare_layer())
        throw UsageError("--rollout: expected only with a whole model or maps, found one layer.");
    const Model& model = *source.model;
    if (!options.rollout.empty() && model.has_merges())
        throw UsageError("--rollout: expected only where all layers read the same tokens, found " +
                         model.title + ", which merges them on the way.");
    source.asked.rollout = parse_rollout(options.rollout);
    layers.expect_within(static_cast<int>(model.layers.size()) - model.token_transformers(),
                         options.model);

    layers.say(audience.warnings);
    const std::optional<GradientTarget> gradient_of = target_of(options, source);

    TraceWriter writer(options.out, model, facts_of(options, layers), gradient_of.has_value());
    if (model.is_bare_layer()) {
        trace_bare_layers(source, layers, writer, audience.stop);
    } else {
        trace_whole_model(source, layers, gradient_of, writer, audience.warnings, audience.progress,
                          audience.stop);
        if (model.has_merges())
            audience.warnings << "headlight: no rollout is written: the layers read different "
                                 "tokens.\n";
    }
    throw_if_stopped(audience.stop);
    writer.finish(audience.warnings);
}

}  // namespace headlight::cli
