#include "cli/info.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "checkpoint/layer_file.h"
#include "checkpoint/safetensors.h"
#include "cli/errors.h"
#include "cli/files.h"
#include "cli/input.h"
#include "cli/settings.h"

namespace headlight::cli {

namespace {

using Facts = std::vector<ModelFact>;

std::string_view name_of(Skip skip) {
    switch (skip) {
        case Skip::none:
            return "none";
        case Skip::value:
            return "value";
        case Skip::input:
            return "input";
    }
    return "";
}

std::string yes(bool condition) { return condition ? "yes" : "no"; }

void add_weights(const LayerFile& layer, Facts& facts) {
    const AttentionWeights& w = layer.weights;
    const int dim = layer.dim, chan = layer.channels;
    const auto add = [&](const char* what, Index count, const std::string& origin) {
        if (count != 0) facts.push_back({what, fmt::format("{}", count), origin});
    };
    facts.push_back({"parameters", fmt::format("{}", layer.parameters), "of the layer"});
    add("  qkv weight", w.qkv.size(), fmt::format("dim·chan·3 = {}·{}·3", dim, chan));
    add("  qkv bias", w.qkv_bias.size(), fmt::format("chan·3 = {}·3", chan));
    add("  projection weight", w.projection.size(), fmt::format("chan² = {}²", chan));
    add("  projection bias", w.projection_bias.size(), "chan");
}

void add_heads(const LayerFile& layer, const Settings& settings, Facts& facts) {
    if (!settings.heads) {
        facts.push_back({"heads", "missing", "give --attention '{\"heads\": H}' or num_heads"});
        facts.push_back({"head_dim", "missing", "chan / heads"});
        return;
    }
    const int heads = *settings.heads;
    facts.push_back({"heads", fmt::format("{}", heads), settings.heads.origin});
    if (layer.channels % heads != 0) {
        facts.push_back({"head_dim", "missing",
                         fmt::format("{} channels cannot be divided evenly among {} heads",
                                     layer.channels, heads)});
        return;
    }
    AttentionConfig config;
    config.channels = layer.channels;
    config.heads = heads;
    config.scale = settings.scale.value;
    facts.push_back({"head_dim", fmt::format("{}", config.head_dim()), "chan / heads"});
    facts.push_back({"scale", fmt::format("{}", config.effective_scale()),
                     settings.scale ? settings.scale.origin : "head_dim^-0.5"});
}

std::string numbers(const std::vector<float>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
}

// How an image would become this layer's tokens.
void add_image(const LayerFile& layer, const Settings& settings, Facts& facts) {
    const auto plan = image_plan(settings, layer.dim);
    if (!plan) {
        facts.push_back({"images", "none", "dim is neither 3·patch² nor patch²: give it tokens"});
        return;
    }
    const bool rgb = plan->channels == 3;
    facts.push_back(
        {"patch",
         fmt::format("{} × {}, {}", plan->patches.size, plan->patches.size, rgb ? "rgb" : "grey"),
         rgb ? "dim = 3·patch²" : "dim = patch²"});
    const auto [height, width] = *settings.image_size;
    facts.push_back(
        {"image size", fmt::format("{} × {}", height, width), settings.image_size.origin});
    facts.push_back({"mean", numbers(*settings.mean), settings.mean.origin});
    facts.push_back({"std", numbers(*settings.std), settings.std.origin});
}

Facts describe(const LayerFile& layer, const Settings& settings) {
    Facts facts{
        {"family", layer.family, settings.family.origin},
        {"layers", "1", "a bare attention layer"},
        {"dim", fmt::format("{}", layer.dim), "width of an input token"},
        {"chan", fmt::format("{}", layer.channels), "width of an output token"},
        {"qkv bias", yes(layer.has_bias), "tensors of the file"},
        {"projection bias", yes(layer.weights.projection_bias.size() != 0), "tensors of the file"},
        {"skip", std::string(name_of(*settings.skip)), settings.skip.origin}};
    add_weights(layer, facts);
    add_heads(layer, settings, facts);
    add_image(layer, settings, facts);
    for (const std::string& name : layer.ignored)
        facts.push_back({"ignored", name, "not part of the layer"});
    return facts;
}

}  // namespace

void run_info(const InfoOptions& options, std::ostream& out) {
    const LayerFile layer =
        read_layer(read_safetensors(read_file(options.model), options.model), options.model);
    const Settings settings = model_settings(layer, options.model, options.config);
    for (const auto& [what, value, origin] : describe(layer, settings))
        out << fmt::format("{:<20}{:<16} {}\n", what, one_line(value), one_line(origin));
    if (!out.flush()) throw WorkError("Standard output: expected to be writable, found that not.");
}

}  // namespace headlight::cli
