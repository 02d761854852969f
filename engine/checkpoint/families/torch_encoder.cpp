#include <algorithm>
#include <set>
#include <utility>

#include "families/bare.h"
#include "families/conventions.h"
#include "families/families.h"
#include "files/error.h"

namespace headlight {

namespace {

const std::string kTorchEncoderSign = "self_attn.in_proj_weight";

struct Place {
    std::string base;    // where the encoder's names begin
    bool alone = false;  // one layer, which stands there itself
};

// "layers.3." at the end of a prefix is the number of a layer.
std::optional<std::string> base_of_layers(const std::string& prefix) {
    constexpr std::string_view kLayers = "layers.";
    const std::size_t at = prefix.rfind(kLayers);
    if (at == std::string::npos || (at > 0 && prefix[at - 1] != '.')) return {};
    const std::string number = prefix.substr(at + kLayers.size());
    const bool digits =
        number.size() > 1 && number.back() == '.' &&
        std::all_of(number.begin(), number.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
    return digits ? std::optional(prefix.substr(0, at)) : std::nullopt;
}

// Nothing where these are not its names, or several encoders'.
std::optional<Place> place_of(const TensorReader& file) {
    std::set<std::string> bases;
    bool alone = false;
    for (const std::string& prefix : file.prefixes_of(kTorchEncoderSign)) {
        if (!file.at(prefix).has("linear1.weight")) continue;
        const auto base = base_of_layers(prefix);
        alone = alone || !base;
        bases.insert(base.value_or(prefix));
    }
    if (bases.size() != 1) return {};
    return Place{*bases.begin(), alone};
}

// Mean above variance, as torch.nn.BatchNorm1d has kept them.
SharedResult running_of(TensorReader& reader, const std::string& name, Index width) {
    Matrix rows(2, width);
    rows.row(0) = reader.row(name + ".running_mean", width)->view().eigen();
    rows.row(1) = reader.row(name + ".running_var", width)->view().eigen();
    if (rows.row(1).minCoeff() < 0)
        reader.refuse(name + ".running_var", "variances, which are at least 0",
                      text_of(rows.row(1).minCoeff()));
    return make_result(std::move(rows));
}

bool is_batch_norm(const TensorReader& reader, const std::string& name) {
    return reader.has(name + ".running_mean") || reader.has(name + ".num_batches_tracked");
}

// With bias=False torch leaves β out.
Norm read_norm(const ModelBuilder& builder, TensorReader& reader, const std::string& name,
               Index width) {
    Norm norm{reader.row(name + ".weight", width), reader.optional_row(name + ".bias", width),
              builder.eps()};
    if (is_batch_norm(reader, name)) norm.running = running_of(reader, name, width);
    return norm;
}

// Those of an encoder's layer are there or left out together; a batch norm always has its own.
void expect_biases_together(const TensorReader& reader) {
    std::vector<std::string> biases{"self_attn.in_proj_bias", "self_attn.out_proj.bias",
                                    "linear1.bias", "linear2.bias"};
    for (const std::string norm : {"norm1", "norm2"})
        if (!is_batch_norm(reader, norm)) biases.push_back(norm + ".bias");
    reader.expect_all_or_none(biases);
}

Layer read_layer(const ModelBuilder& builder, TensorReader& reader, Index dim) {
    Layer layer;
    expect_biases_together(reader);
    layer.qkv = {reader.matrix(kTorchEncoderSign, 3 * dim, dim),
                 reader.optional_row("self_attn.in_proj_bias", 3 * dim)};
    layer.projection = builder.linear(reader, "self_attn.out_proj", dim, dim);
    layer.norm1 = read_norm(builder, reader, "norm1", dim);
    layer.norm2 = read_norm(builder, reader, "norm2", dim);
    layer.mlp_in = builder.linear(reader, "linear1", dim);
    layer.mlp_out = builder.linear(reader, "linear2", dim, layer.mlp_in.weight->view().rows);
    layer.activation = builder.activation();
    layer.norm_first = builder.decisions().find(&ModelConfig::norm_first)->value;
    layer.attention.dim = layer.attention.channels = static_cast<int>(dim);
    layer.attention.qkv_bias = layer.qkv.bias != nullptr;
    layer.attention.skip = Skip::input;
    return layer;
}

void say_layer(ModelBuilder& builder, const Layer& layer) {
    const auto say = [&](const char* what, std::string value, auto field, const char* key) {
        const auto decided = builder.decisions().find(field);
        const bool own = decided->origin.starts_with("convention");
        builder.say(what, std::move(value),
                    decided->origin + (own ? std::string("; set ") + key + " to change it" : ""));
    };
    builder.say("MLP width", std::to_string(layer.mlp_in.weight->view().rows), "tensor shapes");
    say("activation", std::string(name_of(layer.activation)), &ModelConfig::activation,
        "activation");
    say("norms", layer.norm_first ? "before attention and MLP" : "after the sums",
        &ModelConfig::norm_first, "norm_first");
    if (layer.norm1.is_of_batch()) builder.say("batch norm", "in evaluation", "tensor names");
    say("norm epsilon", text_of(layer.norm1.eps), &ModelConfig::layer_norm_eps, "layer_norm_eps");
}

// A batch norm's count of batches, which is no part of what is computed.
bool is_count(const TensorReader& file, const std::string& name) {
    constexpr std::string_view kCount = "num_batches_tracked";
    return name.ends_with(kCount) &&
           file.has(name.substr(0, name.size() - kCount.size()) + "running_mean");
}

}  // namespace

std::optional<Model> read_torch_encoder_names(const TensorReader& file,
                                              const Decisions& decisions) {
    const auto place = place_of(file);
    if (!place) return {};
    const FamilyChoice family =
        choose_family(file, decisions, {"torch-encoder"}, {"torch-encoder", "tensor names"});
    ModelBuilder builder(
        file.at(place->base), shown_as_named(decisions), conventions::torch_encoder(),
        place->alone ? "torch.nn.TransformerEncoderLayer" : "torch.nn.TransformerEncoder", family);
    std::vector<TensorReader> readers =
        place->alone ? std::vector{builder.at} : builder.readers("layers.");
    const Index dim = readers.front().shape(kTorchEncoderSign, 2, "a matrix")[1];
    std::vector<Layer> layers;
    for (TensorReader& reader : readers) {
        layers.push_back(read_layer(builder, reader, dim));
        name_layer(layers.back(), static_cast<int>(layers.size()) - 1);
    }
    builder.say("layers", std::to_string(layers.size()), "tensor names");
    builder.say("dim", std::to_string(dim), "width of an input token");
    AttentionConfig& first = layers.front().attention;
    decide_heads(builder, {{}, usual_heads_of("torch", static_cast<int>(dim))}, first);
    for (Layer& layer : layers) {
        layer.attention.heads = first.heads;
        layer.attention.scale = first.scale;
    }
    say_layer(builder, layers.front());
    if (!place->alone && builder.at.has("norm.weight"))
        builder.model.norm = read_norm(builder, builder.at, "norm", dim);
    builder.model.norms_may_follow = true;
    builder.model.pooling = Pooling::none;
    decide_patch(builder, static_cast<int>(dim));
    expect_nothing_beside(file, "torch.nn.TransformerEncoder",
                          [&](const std::string& name) { return is_count(file, name); });
    return finish_bare(builder, std::move(layers), file.unused());
}

}  // namespace headlight
