#include "cli/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <ostream>
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
}

std::string name_in_file(const TensorInfo& about) {
    std::string name(about.file_name);
    if (const auto at = name.find(".L."); at != std::string::npos) name[at + 1] = '0';
    return name;
}

// Whether a row has NaN or an infinity that no mask put there.
bool is_damaged(const Trace& trace, Tensor tensor, Index sample, Index row,
                const MatrixView& matrix) {
    const std::uint8_t* blocked =
        tensor == Tensor::scores && trace.mask ? trace.mask->row(sample, row) : nullptr;
    for (Index col = 0; col < matrix.cols; ++col)
        if (!std::isfinite(matrix(row, col)) && !(blocked && blocked[col] != 0)) return true;
    return false;
}

bool is_damaged(const Trace& trace, Tensor tensor) {
    const Index batch = tensor == Tensor::positions ? 1 : trace.shape.batch;
    const Index heads = info(tensor).per_head ? trace.shape.heads : 1;
    for (Index b = 0; b < batch; ++b)
        for (Index h = 0; h < heads; ++h) {
            const MatrixView matrix = trace.view(tensor, b, h);
            for (Index row = 0; row < matrix.rows; ++row)
                if (is_damaged(trace, tensor, b, row, matrix)) return true;
        }
    return false;
}

// The file is what the weights say, but nobody should have to find out from its last tensor.
void warn_of_damage(const Trace& trace, std::ostream& warnings) {
    for (const TensorInfo& about : all_tensors()) {
        if (about.file_name.empty() || !trace.has(about.id)) continue;
        if (!is_damaged(trace, about.id)) continue;
        warnings << "headlight: " << name_in_file(about)
                 << " is the first tensor with NaN or infinite numbers.\n";
        return;
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
        tensors.push_back(written(trace, about.id, name_in_file(about)));
    }
    // A whole model goes on after the skip; a bare layer ends with it.
    if (trace.config.skip == Skip::value)
        tensors.push_back(written(trace, Tensor::output, "layer.0.skip"));
    write_safetensors(path, tensors);
}

}  // namespace

void run_trace(const TraceOptions& options, std::ostream& warnings) {
    if (options.image.empty() == options.input.empty())
        throw UsageError("trace: expected either --image or --input, found " +
                         std::string(options.image.empty() ? "neither." : "both."));
    expect_own_output(options);
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
    if (prepared.patches.size() != 0)
        trace.set(Tensor::patches, make_result(std::move(prepared.patches)));
    if (prepared.positions.size() != 0)
        trace.set(Tensor::positions, make_result(std::move(prepared.positions)));
    trace.set(Tensor::residual1, nullptr);  // a bare layer's output, under its own name
    write_trace(trace, options.out);
    warn_of_damage(trace, warnings);
}

}  // namespace headlight::cli
