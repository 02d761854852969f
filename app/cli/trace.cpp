#include "cli/trace.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "checkpoint/layer_file.h"
#include "checkpoint/safetensors.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/input.h"
#include "cli/settings.h"
#include "encoder/runner.h"

namespace headlight::cli {

namespace {

// "all" or numbers with commas. A bare layer is the only one of its file: layer 0.
void expect_layer_zero(const TraceOptions& options) {
    if (options.layers == "all") return;
    const char* at = options.layers.data();
    const char* const end = at + options.layers.size();
    while (true) {
        unsigned layer = 0;
        const auto [next, error] = std::from_chars(at, end, layer);
        if (error != std::errc() || (next != end && *next != ','))
            throw UsageError("--layers: expected all, or numbers such as 0,2, found \"" +
                             options.layers + "\".");
        if (layer != 0)
            throw WorkError(options.model +
                            ": expected layer 0, the only one of this file, found " +
                            std::to_string(layer) + " in --layers.");
        if (next == end) return;
        at = next + 1;
    }
}

// Every sample, and every head of it, one after the other, as the file wants them.
TensorToWrite written(const Trace& trace, Tensor tensor, std::string name) {
    const TensorInfo& about = info(tensor);
    // One table serves all samples.
    const Index batch = tensor == Tensor::positions ? 1 : trace.shape.batch;
    const Index heads = about.per_head ? trace.shape.heads : 1;
    TensorToWrite result{std::move(name), {batch}, {}};
    for (Index b = 0; b < batch; ++b)
        for (Index h = 0; h < heads; ++h) result.blocks.push_back(trace.view(tensor, b, h));
    if (about.per_head) result.shape.push_back(heads);
    result.shape.insert(result.shape.end(), {result.blocks[0].rows, result.blocks[0].cols});
    return result;
}

void write_trace(const Trace& trace, const std::string& path) {
    std::vector<TensorToWrite> tensors;
    for (const TensorInfo& about : all_tensors()) {
        if (about.file_name.empty() || !trace.has(about.id)) continue;
        std::string name(about.file_name);
        if (const auto at = name.find(".L."); at != std::string::npos) name[at + 1] = '0';
        tensors.push_back(written(trace, about.id, std::move(name)));
    }
    // A whole model goes on after the skip; a bare layer ends with it.
    if (trace.config.skip == Skip::value)
        tensors.push_back(written(trace, Tensor::output, "layer.0.skip"));
    write_safetensors(path, tensors);
}

}  // namespace

void run_trace(const TraceOptions& options) {
    if (options.image.empty() == options.input.empty())
        throw UsageError("trace: expected either --image or --input, found " +
                         std::string(options.image.empty() ? "neither." : "both."));
    LayerFile layer =
        read_layer(read_safetensors(read_file(options.model), options.model), options.model);
    expect_layer_zero(options);

    const TensorMap input = options.input.empty() ? TensorMap() : read_input(options.input);
    Settings settings = model_settings(layer, options.model, options.config);
    apply_attention(options.attention, options.input.empty() ? Scope::image : scope_of(input),
                    settings);
    const AttentionConfig config = attention_config(layer, settings, options.model);
    Prepared prepared = options.input.empty()
                            ? prepare_image(options.image, settings, config)
                            : prepare_tensors(input, options.input, settings, config);

    Trace trace = *run_layer(std::move(prepared.layer), config,
                             std::make_shared<const AttentionWeights>(std::move(layer.weights)));
    if (prepared.patches.size() != 0) trace.patches = make_result(std::move(prepared.patches));
    if (prepared.positions.size() != 0)
        trace.positions = make_result(std::move(prepared.positions));
    write_trace(trace, options.out);
}

}  // namespace headlight::cli
