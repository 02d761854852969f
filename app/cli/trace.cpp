#include "cli/trace.h"

#include <filesystem>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/attention_option.h"
#include "cli/bare_layer.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "cli/layers_option.h"
#include "cli/model_file.h"
#include "cli/rollout_option.h"
#include "cli/trace_writer.h"
#include "cli/whole_model.h"

namespace headlight::cli {

namespace {

// Writing over what is read would cost the person the file, whatever becomes of the trace.
void expect_own_output(const TraceOptions& options) {
    const auto refuse_same = [&](std::string_view option, const std::string& path) {
        std::error_code missing;
        if (!std::filesystem::equivalent(options.out, path, missing)) return;
        throw UsageError("--out: expected another file than that of " + std::string(option) +
                         ", found " + options.out + ".");
    };
    refuse_same("--model", options.model);
    refuse_same("--image", options.image);
    refuse_same("--input", options.input);
    refuse_same("--config", options.config);
    refuse_same("--reference", options.reference);
}

// A file of maps needs nothing more; an image says no more than how the patches may lie.
void expect_one_input(const TraceOptions& options, const Model& model) {
    if (model.is_maps() && !options.input.empty())
        throw UsageError("--input: expected none for " + model.file +
                         ", found one: the file holds attention that is computed already.");
    if (!model.is_maps() && options.image.empty() && options.input.empty())
        throw UsageError("trace: expected either --image or --input, found neither.");
}

Source read_source(const TraceOptions& options, const StopFlag& stop) {
    Source source;
    source.model = open_model(options.model, options.config, stop);
    expect_one_input(options, *source.model);
    source.image = options.image;
    source.input_path = options.input;
    if (!options.input.empty()) {
        Input input = read_input(options.input);
        source.input = std::move(input.tensors);
        source.grid = input.grid;
    }
    const Scope scope = options.input.empty() ? Scope::image : scope_of(source.input);
    source.asked = parse_attention(options.attention, scope, *source.model);
    // Read once more with what its file cannot say.
    if (source.asked.model != ModelOptions{})
        source.model = open_model(options.model, options.config, stop, source.asked.model);
    if (!options.rollout.empty() && source.model->is_bare_layer())
        throw UsageError("--rollout: expected only with a whole model or maps, found one layer.");
    source.asked.rollout = parse_rollout(options.rollout);
    return source;
}

// Whoever means three samples of four tokens is told that it was not taken so.
void say_maps(const Source& source, std::ostream& warnings) {
    if (source.grid.count() == 0) return;
    const auto& shape = source.input.at("tokens").shape;
    warnings << source.input_path << ": read as " << shape[0] << " feature map"
             << (shape[0] == 1 ? "" : "s") << " of " << source.grid.rows << " × "
             << source.grid.cols << " cells with " << shape[2] << " numbers each.\n";
}

}  // namespace

void run_trace(const TraceOptions& options, const TraceAudience& audience) {
    expect_own_output(options);
    const LayersOption layers(options.layers);
    const Source source = read_source(options, audience.stop);
    say_maps(source, audience.warnings);
    const Model& model = *source.model;
    layers.expect_within(static_cast<int>(model.layers.size()) - model.token_transformers(),
                         options.model);

    TraceWriter writer(options.out, model);
    if (model.is_bare_layer()) {
        trace_bare_layers(source, layers, writer, audience.stop);
    } else {
        trace_whole_model(source, layers, writer, audience.progress, audience.stop);
    }
    throw_if_stopped(audience.stop);
    writer.finish(audience.warnings);
}

}  // namespace headlight::cli
