#include "cli/torch_command.h"

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "cli/errors.h"
#include "cli/files.h"
#include "cli/front.h"
#include "cli/gradient_option.h"
#include "cli/input.h"
#include "encoder/ablation.h"
#include "files/new_file.h"
#include "pytorch/module.h"
#include "pytorch/script.h"
#include "pytorch/script_gradients.h"

namespace headlight::cli {

namespace {

namespace fs = std::filesystem;

void expect_script_name(const TorchOptions& options) {
    const fs::path out = options.out;
    if (out.extension() != ".py")
        throw UsageError("--out: expected a name that ends in .py, found " + options.out + ".");
    for (const fs::path& file : {out, fs::path(out).replace_extension(".safetensors")}) {
        expect_own_output(file.string(), options);
        expect_another_file(file.string(), "--gradient-of", image_of_cosine(options.gradient_of));
    }
}

void expect_counted_from_one(const TorchOptions& options) {
    if (options.layer == 0)
        throw UsageError("--layer: layers count from 1, found 0. Write --layer 1 for the first.");
}

// The index in the model's list, which begins with T2T's token transformers.
int index_of_layer(const TorchOptions& options, const Model& model) {
    const int first = model.token_transformers();
    const int count = static_cast<int>(model.layers.size()) - first;
    const int layer = options.layer.value_or(1);
    if (layer > count)
        throw UsageError("--layer: expected 1" +
                         (count == 1 ? ", the only layer" : " to " + std::to_string(count)) +
                         " of " + options.model + ", found " + std::to_string(layer) + ".");
    return first + layer - 1;
}

struct Walk {
    Trace trace;
    std::optional<ScriptGradients> gradients;
};

// A walk of the whole computation: the front, the chosen layer in full, the residual stream through
// the others, and the end.
Walk walk_of(const Beginning& beginning, int layer, const std::optional<GradientTarget>& target,
             const StopFlag& stop) {
    std::vector<Node> nodes = beginning.front.nodes;
    Trace walk;
    const auto keep = [&](const Trace& trace) {
        if (trace.layer == layer) walk = trace;
    };
    Trace last = Runner::run(beginning, keep, stop);
    std::optional<ScriptGradients> gradients;
    if (target) gradients = script_gradients(last, beginning.change, *target, layer, stop);
    nodes.insert(nodes.end(), walk.nodes.begin(), walk.nodes.end());
    const std::vector<Node> end = end_nodes(*walk.model);
    walk.set(Tensor::encoded, last.slot(Tensor::encoded));
    for (const Node& node : end)
        for (const Tensor result : node.results) walk.set(result, last.slot(result));
    nodes.insert(nodes.end(), end.begin(), end.end());
    walk.nodes = std::move(nodes);
    walk.stream = std::move(last.stream);
    walk.splits = std::move(last.splits);
    walk.split_inputs = std::move(last.split_inputs);
    return {std::move(walk), std::move(gradients)};
}

void write_module(const TorchOptions& options, const Trace& walk) {
    const std::vector<ListingLine> listing = module_listing(walk);
    if (listing.empty())
        throw UsageError(
            "--module: expected a self-attention layer, found cross-attention, which takes two "
            "inputs and cannot be written as one class. Leave out --module.");
    write_file(options.out, module_file(listing));
}

}  // namespace

void run_torch(const TorchOptions& options, const Audience& audience) {
    expect_script_name(options);
    expect_counted_from_one(options);
    if (!options.gradient_of.empty() && options.module)
        throw UsageError("--gradient-of cannot be used with --module, which compares nothing.");
    const Source source = read_source(options, audience.warnings, audience.stop);
    const Model& model = *source.model;
    expect_to_compute(model);
    const int layer = index_of_layer(options, model);
    const std::optional<GradientTarget> target =
        target_or_cosine(options.gradient_of, source, audience.stop);
    const Beginning beginning = beginning_of(source);
    auto [walk, gradients] = walk_of(beginning, layer, target, audience.stop);
    if (target && target->cosine_with)
        gradients->about = "the cosine of the output with that for another image";
    if (options.module) return write_module(options, walk);
    const TensorFile checkpoint =
        open_tensor_file(fs::absolute(model.file).string(), read_file, audience.stop);
    write_script(options.out,
                 python_script({walk, beginning.change, &checkpoint, find(source.input, "pixels"),
                                gradients ? &*gradients : nullptr}));
    if (options.layer)  // reveals a script that still counts layers from 0
        audience.warnings << "headlight: the script checks every step of layer " << *options.layer
                          << ", which is " << walk.model_layer().file_name << " in a trace.\n";
}

}  // namespace headlight::cli
